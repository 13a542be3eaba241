import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite struct OldPropertyListTests {
    @Test(
        "Property lists become strings, data, arrays and dictionaries",
        arguments: [
            (#""a b""#, .string("a b")),
            (" \n\"a\" // end", .string("a")),
            ("(a, 'b c', \"d\")", list("a", "b c", "d")),
            ("()", list()),
            ("( a , )", list("a")),
            ("(80,-1.5,yes)", list("80", "-1.5", "yes")),
            ("(http://a.b/c_d$:x-y)", list("http://a.b/c_d$:x-y")),
            ("(/a/b)", list("/a/b")),
            ("{}", .dictionary([:])),
            ("{a = 1; \"b c\" = (x);}", .dictionary(["a": .string("1"), "b c": list("x")])),
            ("{a; b = {c = d;};}", .dictionary(["a": .string("a"), "b": .dictionary(["c": .string("d")])])),
            ("{a = 1; a = 2;}", .dictionary(["a": .string("2")])),
            ("<0fbd 77>", .data(Data([0x0F, 0xBD, 0x77]))),
            ("<>", .data(Data())),
            ("(/* c */ a // d\n, b /**/)", list("a", "b")),
            ("(a) /* no end", list("a")),
            ("(a // c\u{2029}, b // d\r)", list("a", "b")),
            ("(a\u{2028},\u{2029}b)\u{2028}", list("a", "b")),
            ("(<00>, {}, ())", .array([.data(Data([0])), .dictionary([:]), list()])),
            (#""a" = b; "c";"#, .dictionary(["a": .string("b"), "c": .string("c")])),
        ] as [(String, SettingValue)]) func values(text: String, value: SettingValue)
    {
        #expect(OldPropertyList.value(of: text) == value)
    }

    @Test(
        "Strings have the escapes of NeXTSTEP",
        arguments: [
            (#""\a\b\f\n\r\t\v\"\'\\\x""#, "\u{7}\u{8}\u{C}\n\r\t\u{B}\"'\\x"),
            (#""\101\60\0611\7z\777""#, "A01" + "1\u{7}z\u{FFFD}"),
            (#""\U00e9\U1234\U41z\U""#, "é\u{1234}Az\0"),
            (#""\Ud83d\Ude00 \é""#, "😀 é"),
            ("\"a\\\nb\nc\"", "a\nb\nc"),
            (#""\341\256\200""#, "Æﬁ\u{A0}"),
        ]) func escapes(text: String, value: String)
    {
        #expect(OldPropertyList.value(of: text) == .string(value))
    }

    @Test(
        "What is no property list from end to end is the text itself",
        arguments: [
            "", " ", "a", "a b", "a = 1;", "// a", "80", "-", "[1]", "{\"a\": 1}", "{a = 1}", "{a = 1;", "{a = ;}",
            "{a}",
            "{a = 1;} b", "(a b)", "(a", "(,)", "(a,,b)", "(a) b", "<0>", "<0g>", "<00", "<0 0>", "<b>", "\"a", "\"a\\",
            "\"a\" b", "\"a\" = b", "\"a\" = b;}", #""\Ud83d""#, #""\Ude00""#, #""\Ud83d\U0041""#, #""\Ud83dx""#, "(é)",
            "{(a) = b;}", "'a'", "(a;)", "é", "<*I5>", "(<*BY>)", "<[AQID]>",
        ]) func others(text: String)
    {
        #expect(OldPropertyList.value(of: text) == .string(text))
    }

    @Test("All bytes of the encoding of NeXTSTEP are those of Foundation") func encoding() throws {
        for byte in UInt8.min...0xFD {
            let expected = try #require(String(data: Data([byte]), encoding: .nextstep))
            #expect(String(utf16CodeUnits: [nextstepCharacter(byte)], count: 1) == expected, "\(byte)")
        }
    }

    @Test("Random property lists are read as Foundation reads them") func foundation() throws {
        var random = SeededGenerator()
        let parts = [
            "{", "}", "(", ")", "<", ">", "=", ";", ",", "a", "b1", "\"", "\"c d\"", "'e'", " ", "\n", "//", "/*", "*/",
            "00",
            "\\", "\\U0041", "\\101", "\\n", "(a)", "{b = c;}", "<0f>", "é",
        ]
        var readable = 0
        for _ in 0..<100_000 {
            let count = Int.random(in: 1...9, using: &random)
            let text =
                ["{", "(", "<", "\""].randomElement(using: &random)!
                + (0..<count).map { _ in parts.randomElement(using: &random)! }.joined()
            let ours = OldPropertyList.value(of: text)
            guard ours != .string(text) else { continue }
            readable += 1
            let read = try? PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
            let theirs = try #require(read, "\(text), seed \(random.seed)")
            #expect(plain(theirs) == ours, "\(text), seed \(random.seed)")
        }
        #expect(readable > 1_000)
    }

    @Test("Each property list that Foundation reads is read") func completeness() throws {
        var random = SeededGenerator()
        for _ in 0..<20_000 {
            let value = Self.randomValue(depth: 0, &random)
            let text = Self.spelled(value)
            let read = try? PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
            #expect(try plain(#require(read)) == value, "\(text), seed \(random.seed)")
            #expect(OldPropertyList.value(of: text) == value, "\(text), seed \(random.seed)")
        }
    }

    @Test("Deep nesting is refused instead of exhausting the stack", arguments: ["(", "{a=", "(<00>,", "{\"x\"={y=("])
    func depth(opening: String) {
        let hostile = String(repeating: opening, count: 100_000)
        #expect(OldPropertyList.value(of: hostile) == .string(hostile))
        func nested(_ count: Int) -> String {
            String(repeating: "(", count: count) + String(repeating: ")", count: count)
        }
        #expect(OldPropertyList.value(of: nested(128)) != .string(nested(128)))
        #expect(OldPropertyList.value(of: nested(129)) == .string(nested(129)))
    }

    @Test("The time is proportional to the length", .timeLimit(.minutes(10)))
    func growth() {
        for (opening, part, closing) in [
            ("(", "a,", ")"), ("{", "a=b;", "}"), ("<", "00", ">"), ("\"", "\\U0041", "\""), ("(a", "/**/", ")"),
            ("(", "/*", ""), ("(", "/ ", ""), ("{", "a;", ""), ("\"", "\\", ""), ("\"a\"=b;", "c;", ""),
        ] {
            let isLinear = isProportional(12_000) { count in
                let text = opening + String(repeating: part, count: count) + closing
                _ = OldPropertyList.value(of: text)
            }
            #expect(isLinear, "\(opening)\(part)\(part)…\(closing)")
        }
    }

    private func plain(_ value: Any) -> SettingValue? {
        switch value {
        case let text as String: .string(text)
        case let data as Data: .data(data)
        case let elements as [Any]: .array(elements.compactMap(plain))
        case let entries as [String: Any]:
            .dictionary(.init(entries.compactMapValues(plain)))
        default: nil
        }
    }

    private static func randomValue(depth: Int, _ random: inout SeededGenerator) -> SettingValue {
        switch Int.random(in: depth == 0 ? 1...3 : 0...(depth < 4 ? 3 : 1), using: &random) {
        case 0: return .string(randomText(&random))
        case 1: return .data(Data((0..<Int.random(in: 0...5, using: &random)).map { UInt8($0 * 50) }))
        case 2:
            return .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in randomValue(depth: depth + 1, &random) })
        default:
            var entries = SettingValue.Entries()
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                entries[randomText(&random)] = randomValue(depth: depth + 1, &random)
            }
            return .dictionary(entries)
        }
    }

    private static func randomText(_ random: inout SeededGenerator) -> String {
        let parts = ["a", "Z", "9", "_", " ", "\"", "'", "\\", "\n", "é", "😀", "/", "//", ";", "=", "\u{2028}", "\t"]
        return (0..<Int.random(in: 0...4, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
    }

    private static func spelled(_ value: SettingValue) -> String {
        switch value {
        case .string(let text):
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        case .data(let data): "<" + data.map { String($0, radix: 16).padded }.joined() + ">"
        case .array(let elements): "(" + elements.map(spelled).joined(separator: " , ") + ")"
        case .dictionary(let entries):
            "{ " + entries.map { spelled(.string($0.key)) + "=\(spelled($0.value)); " }.joined() + "}"
        default: ""
        }
    }
}

extension String {
    fileprivate var padded: String { utf8.count < 2 ? "0" + self : self }
}

private func list(_ texts: String...) -> SettingValue {
    .array(texts.map(SettingValue.string))
}

import Foundation
import Settle
import SettleInterchange
import SettleTesting
import Testing

/// Files in the old text form. Arguments, which share the reader, have tests of their own.
@Suite(.timeLimit(.minutes(10))) struct OldTextFileTests {
    private func value(_ text: String) throws(FormatError) -> SettingValue {
        let (list, form) = try PropertyList.read(Data(text.utf8))
        #expect(form == .oldText)
        return list.value
    }

    private func error(_ text: String) -> FormatError? {
        failure { () throws(FormatError) in _ = try PropertyList.read(Data(text.utf8)) }
    }

    @Test(
        "Files are read as Apple's reader does",
        arguments: [
            (" \t\r\n", .dictionary([:])), ("/* c */ // d", .dictionary([:])), ("a", .string("a")),
            ("'a b'", .string("a b")), ("// !$*UTF8*$!\n{a = b;}", .dictionary(["a": .string("b")])),
            ("<0fbd77 1c2735ae>", .data(Data([0x0F, 0xBD, 0x77, 0x1C, 0x27, 0x35, 0xAE]))), ("<>", .data(Data())),
            ("<fade>", .data(Data([0xFA, 0xDE]))),
            ("a = b; c;", .dictionary(["a": .string("b"), "c": .string("c")])),
            ("\"a\" = {b = (c,);};", .dictionary(["a": .dictionary(["b": .array([.string("c")])])])),
            ("{a = 1; a = 2;}", .dictionary(["a": .string("2")])),
            (
                #"("\U00e9", "\341", "a\n", "\"'", 'b\'')"#,
                .array(["é", "Æ", "a\n", "\"'", "b'"].map(SettingValue.string))
            ),
            ("\"a\\\nb\"", .string("a\nb")),
            ("{\"é\";}", .dictionary(["é": .string("é")])),
            ("{\"é\" = 1; \"e\u{301}\" = 2;}", .dictionary(["é": .string("1"), "e\u{301}": .string("2")])),
        ] as [(String, SettingValue)]) func values(text: String, expected: SettingValue) throws
    {
        #expect(try value(text).differences(from: expected) == [])
    }

    @Test("Letters, marks and digits of all scripts need no quotation marks, and a line separator is white space")
    func words() throws {
        let text = "{Größe = 3; 名前 = (ä1, e\u{301}٣\u{2028},\u{10330}); Straße;}"
        let expected: SettingValue.Entries = [
            "Größe": .string("3"), "名前": .array(["ä1", "e\u{301}٣", "\u{10330}"].map(SettingValue.string)),
            "Straße": .string("Straße"),
        ]
        #expect(try value(text).differences(from: .dictionary(expected)) == [])
        #expect(try StringTable.read(Data("Größe = \"Taille\";".utf8)).table["Größe"] == "Taille")
        // In arguments, as in Apple's programs.
        #expect(OldPropertyList.value(of: text) == .string(text))
    }

    /// Found by fuzzing.
    @Test("A text that begins like a binary file is written so that it is none", arguments: ["bplist00", "bplist"])
    func binaryMark(text: String) throws {
        let written = try PropertyList(.string(text)).data(as: .oldText)
        #expect(written == Data("\"\(text)\"\n".utf8))
        #expect(try value(String(decoding: written, as: UTF8.self)) == .string(text))
    }

    @Test("GNUstep's types are what they are")
    func types() throws {
        let cases: [(String, SettingValue)] = [
            ("<*I5>", .integer(5)), ("<*I-5>", .integer(-5)), ("<*I\"5\">", .integer(5)), ("<*I-0>", .integer(0)),
            ("<*I007>", .integer(7)), ("<*I-9223372036854775808>", .integer(.min)),
            ("<*I18446744073709551615>", .number("18446744073709551615")), ("<*R1.5>", .real(1.5)),
            ("<*R-2>", .real(-2)),
            ("<*R1e-07>", .real(1e-7)), ("<*Rinf>", .real(.infinity)), ("<*Rnan>", .real(.nan)), ("<*BY>", .bool(true)),
            ("<*BN>", .bool(false)), ("<[AQID]>", .data(Data([1, 2, 3]))), ("<[ AQ\nID ]>", .data(Data([1, 2, 3]))),
            ("<[]>", .data(Data())), ("<*D2001-01-01 00:00:01 +0000>", .date(Date(timeIntervalSinceReferenceDate: 1))),
            ("<*D2001-01-01 02:00:00 +0200>", .date(Date(timeIntervalSinceReferenceDate: 0))),
            ("<*D\"2000-12-31 23:30:00 -0030\">", .date(Date(timeIntervalSinceReferenceDate: 0))),
        ]
        for (text, expected) in cases {
            #expect(try value(text).differences(from: expected) == [], "\(text)")
            let entry = try value("{a = \(text);}")
            #expect(entry.differences(from: .dictionary(["a": expected])) == [], "\(text)")
        }
        for text in [
            "<*>", "<*I>", "<*I5", "<*X5>", "<*I1.5>", "<*I--5>", "<*I5 >", "<*R0x1p3>", "<*Rinfinity>", "<*R1e400>",
            "<*BX>", "<*D2001-01-01>", "<*D2001-01-01 00:00:00>", "<*D2001-02-29 00:00:00 +0000>", "<[A]>", "<[AQID]",
            "<[AQID>", "<[*]>",
        ] {
            #expect(error(text)?.description.hasPrefix("Line 1, column 1: ") == true, "\(text)")
        }
    }

    @Test("An error names its line, its column and the rule")
    func errors() {
        let cases: [(String, String)] = [
            ("{\n    a = 1\n}", "Line 2, column 10: A semicolon is missing after this value."),
            ("{a = 1; b 2;}", "Line 1, column 10: An equals sign or a semicolon is missing after this key."),
            ("{\"é\" /* c */", "Line 1, column 5: An equals sign or a semicolon is missing after this key."),
            ("{\n  a = \"x;\n}", "Line 2, column 7: The string that starts here has no end."),
            ("{a = 'x\\';}", "Line 1, column 6: The string that starts here has no end."),
            ("\"a\\", "Line 1, column 1: The string that starts here has no end."),
            ("{a = 1; /* b", "Line 1, column 9: The comment that starts here has no end."),
            ("/*/", "Line 1, column 1: The comment that starts here has no end."),
            ("(\n{a = 1;", "Line 2, column 1: The dictionary that starts here has no end."),
            ("(a, b", "Line 1, column 1: The array that starts here has no end."),
            ("(a, ", "Line 1, column 5: The text ends where a value is expected."),
            ("(a b)", "Line 1, column 4: A comma or a closing parenthesis is expected here."),
            ("(,)", "Line 1, column 2: A value is expected here."),
            ("{a = ;}", "Line 1, column 6: A value is expected here."),
            ("{(a) = b;}", "Line 1, column 2: A key is expected here."),
            ("<0>", "Line 1, column 2: Data must be pairs of hexadecimal digits."),
            ("<00 0g>", "Line 1, column 5: Data must be pairs of hexadecimal digits."),
            ("<00", "Line 1, column 1: The data that starts here has no end."),
            ("{a = 1;} b", "Line 1, column 10: There is something after the end of the property list."),
            ("a = b;}", "Line 1, column 7: There is no opening brace for this one."),
            ("hello world", "Line 1, column 6: An equals sign or a semicolon is missing after this key."),
            ("(\"\\Ud83d\")", "Line 1, column 2: The string that starts here has half of a surrogate pair."),
            ("€", "Line 1, column 1: A value is expected here."),
            ("{a = 5€;}", "Line 1, column 7: A semicolon is missing after this value."),
            ("<*X5>", "Line 1, column 1: This is not a value in GNUstep's form."),
            ("<*I5", "Line 1, column 1: The value that starts here has no end."),
            ("<[A]>", "Line 1, column 1: The data that starts here is not in base64."),
        ]
        for (text, expected) in cases { #expect(error(text)?.description == expected, "\(text)") }
        #expect(error("(\"\\Ude00\")")?.rule == .encoding)
    }

    @Test("Deep nesting is refused instead of exhausting the stack", arguments: ["(", "{a=", "(<00>,", "{\"x\"={y=("])
    func depth(opening: String) {
        #expect(error(String(repeating: opening, count: 100_000))?.rule == .limit)
        func nested(_ count: Int) -> String {
            String(repeating: "(", count: count) + String(repeating: ")", count: count)
        }
        #expect(error(nested(128)) == nil)
        #expect(error(nested(129))?.description == "Line 1, column 129: Values are nested more than 128 levels deep.")
    }

    @Test("Random files are read as Foundation reads them")
    func foundation() throws {
        var random = SeededGenerator()
        let parts = [
            "{", "}", "(", ")", "<", ">", "=", ";", ";", ",", "a", "b1", "\"", "\"c d\"", "'e'", " ", "\n", "//",
            "/* */",
            "00", "\\", "\\U0041", "\\101", "\\n", "(a)", "{b = c;}", "a = b;", "<0f>", "\"é\"",
        ]
        var readable = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...9, using: &random)
            let text = (0..<count).map { _ in parts[Int.random(in: parts.indices, using: &random)] }.joined()
            guard let ours = try? value(text) else { continue }
            // Foundation calls some texts without any character too short.
            guard ours != .dictionary([:]) else { continue }
            readable += 1
            let read = try? PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
            let theirs = try #require(read, "\(text), seed \(random.seed)")
            #expect(SettingValue(plain: theirs) == ours, "\(text), seed \(random.seed)")
        }
        #expect(readable > 500)
    }
}

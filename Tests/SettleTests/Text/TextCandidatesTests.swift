import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite struct TextCandidatesTests {
    private struct Refusal: Error, Equatable {}

    private enum Level: Int, Codable { case low = 1, high = 2 }
    private enum Mode: String, Codable { case on, off }
    private struct Server: Codable, Equatable {
        var name: String
        var port: Int
        var isOpen: Bool
        var timeout: Duration
    }

    private func decode<Value: Codable & Sendable>(
        _ text: String, as type: Value.Type = Value.self, where accept: (Value) -> Bool = { _ in true }
    ) throws -> Value {
        try decode(.string(text), where: accept)
    }

    private func decode<Value: Codable & Sendable>(
        _ value: SettingValue, as type: Value.Type = Value.self, where accept: (Value) -> Bool = { _ in true }
    ) throws -> Value {
        try TextCandidates.decode(value, with: .standard) { value in if !accept(value) { throw Refusal() } }
    }

    private func expect<Value: Codable & Sendable & Equatable>(_ value: Value, from texts: String...) {
        for text in texts { #expect((try? decode(text)) == value, "\(text)") }
    }

    private func refuse<Value: Codable & Sendable>(_ type: Value.Type, _ texts: String...) {
        for text in texts { #expect(throws: SettingCodingError.self, "\(text)") { try decode(text, as: type) } }
    }

    @Test("Text is the string itself, whatever it looks like") func strings() {
        for text in ["", " ", "80", "true", "a,b", "[1]", "{}", "5s", "2001-01-01", "null"] { expect(text, from: text) }
        expect(String?.some(""), from: "")
        expect(Mode.on, from: "on")
    }

    @Test("Numbers") func numbers() {
        expect(80, from: "80", " 80\n", "80.0", "8e1")
        expect(-5, from: "-5")
        expect(Int?.some(7), from: "7")
        expect(UInt64.max, from: "18446744073709551615")
        expect(0.1, from: "0.1", "1e-1")
        expect(Double.infinity, from: "inf")
        expect(Level.high, from: "2")
        refuse(
            Int.self, "", " ", "x", "1.5", "0x10", "08", "5 6", "1,2", "yes", "5s", "[1]", "9223372036854775808", "--1",
            "+1")
        refuse(UInt16.self, "-1", "65536")
        refuse(Level.self, "3")
    }

    @Test("Booleans, in any case") func bools() {
        expect(true, from: "true", "YES", "On", "1", " true ", "tRUE")
        expect(false, from: "false", "no", "OFF", "0")
        refuse(Bool.self, "", "y", "n", "2", "truee", "ja", "-1", "1.0", "true,false", "ＯＮ")
    }

    @Test("Dates, as in files, and as seconds since 1970") func dates() {
        expect(
            Date(timeIntervalSince1970: 978_307_200), from: "2001-01-01T00:00:00Z", "2001-01-01", "978307200",
            "2001-01-01T02:00:00+02:00", " 2001-01-01 ")
        refuse(Date.self, "", "yesterday", "2001-01-01T00:00:00", "2001-13-01")
    }

    @Test("Durations with units, and plain seconds") func durations() {
        expect(Duration.milliseconds(250), from: "250ms", "0.25s", "0.25", "250000us", "250000µs", " 250ms ")
        expect(Duration.seconds(90), from: "90", "90s", "1m30s", "1.5m")
        expect(Duration.seconds(7200), from: "2h", "1h60m", "7200")
        expect(Duration.seconds(-90), from: "-1m30s", "-90")
        expect(Duration.seconds(90_000), from: "1d1h")
        expect(Duration.nanoseconds(1), from: "1ns")
        refuse(
            Duration.self, "", "s", "5x", "5s1m", "5s5s", "1m 30s", "m5", "1m-30s", "--5s", "5S", "1m30", "1,5s", "٥s",
            ".5s", String(repeating: "9", count: 40) + "d", "1900000000000000d40000000000000000h",
            "0.0000000000000000001s")
    }

    @Test("Data and other types that are spelled as text") func others() {
        expect(Data([1, 2, 3]), from: "AQID")
        refuse(Data.self, "", "?")
        refuse(Data?.self, "")
        expect(URL(string: "https://a.b"), from: "https://a.b")
        refuse(URL.self, "")
    }

    @Test("Lists by commas") func lists() {
        expect(["a", "b c", "", "d"], from: "a, b c,, d ")
        expect(["a"], from: "a")
        expect([""], from: " ")
        expect([80], from: "80")
        expect([80, -1], from: "80,-1", " 80 , -1 ")
        expect([true, false], from: "yes,0", "TRUE,off")
        expect(Set([1, 2]), from: "2,1,2")
        expect([Date(timeIntervalSince1970: 978_307_200)], from: "2001-01-01", "978307200")
        expect([Duration.seconds(1), .milliseconds(1), .seconds(3)], from: "1s,1ms,3")
        expect([Level.low, .high], from: "1,2")
        expect([String]?.some(["a", "b"]), from: "a,b")
        expect(["1", "2"], from: "1,2")
        refuse([Int].self, "", "1,", "1,x", "1,2.5")
        refuse([Bool].self, "true,maybe")
    }

    @Test("JSON") func json() {
        expect([1, 2], from: "[1, 2]", " [1,2] ")
        expect(["a,b", "c"], from: #"["a,b","c"]"#)
        expect([[1], []], from: "[[1],[]]")
        expect(["a": 1], from: #"{"a": 1}"#)
        expect(
            Server(name: "x", port: 1, isOpen: true, timeout: .seconds(5)),
            from: #"{"name": "x", "port": 1, "isOpen": true, "timeout": "5s"}"#)
        refuse([String].self, "[a,b]", "[1,2", "{a,b", "[", "[1]")
        refuse([String: Int].self, "{a: 1}", "{\"a\": \"1\"}", "a")
    }

    @Test("Texts in old property lists are read like single ones") func propertyLists() throws {
        let ports = OldPropertyList.value(of: "(80, 443)")
        #expect(try decode(ports, as: [Int].self) == [80, 443])
        #expect(try decode(ports, as: [String].self) == ["80", "443"])
        #expect(try decode(OldPropertyList.value(of: "(yes, NO)"), as: [Bool].self) == [true, false])
        #expect(try decode(OldPropertyList.value(of: "(2h, 1)"), as: [Duration].self) == [.seconds(7200), .seconds(1)])
        #expect(
            try decode(OldPropertyList.value(of: "{a = (1, 2); b = ();}"), as: [String: [Int]].self) == [
                "a": [1, 2], "b": [],
            ])
        #expect(try decode(OldPropertyList.value(of: "<0102>"), as: Data.self) == Data([1, 2]))
        #expect(
            try decode(OldPropertyList.value(of: "{name = x; port = 80; isOpen = yes; timeout = 1m;}"), as: Server.self)
                == Server(name: "x", port: 80, isOpen: true, timeout: .seconds(60)))
        #expect(throws: SettingCodingError.self) { try decode(ports, as: Int.self) }
    }

    @Test("The first candidate that is accepted counts, even after others of the type") func acceptance() throws {
        struct Either: Codable, Equatable, Sendable {
            var text: String?
            var number: Int?
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                text = try? container.decode(String.self)
                number = try? container.decode(Int.self)
            }
            func encode(to encoder: any Encoder) throws {}
        }
        #expect(try decode("5", as: Either.self) { $0.number != nil }.number == 5)
    }

    @Test("A string that breaks a rule is not replaced by another spelling of it") func noOtherText() {
        #expect(throws: Refusal()) { try decode("250ms", as: String.self) { $0 == "0.25s" } }
    }

    @Test("The error is that of the broken rule, or else the one that tells most") func errors() {
        #expect(throws: Refusal()) { try decode("300", as: Int.self) { $0 < 100 } }
        #expect(throws: Refusal()) { try decode("1,2", as: [Int].self) { $0.count > 2 } }
        func reason<Value: Codable & Sendable>(_ text: String, _ type: Value.Type) -> String? {
            do {
                _ = try decode(text, as: type)
                return nil
            } catch { return "\(error)" }
        }
        #expect(reason("8o", Int.self)?.hasSuffix("found a string of 2 characters.") == true)
        #expect(reason("65536", UInt16.self)?.hasSuffix("found the integer 65536.") == true)
        #expect(reason("1,2,x,4", [Int].self)?.hasSuffix("at 2, found a string of 1 character.") == true)
        #expect(reason("1,70000", [UInt16].self)?.hasSuffix("at 1, found the integer 70000.") == true)
        #expect(reason("yes,x", [Bool].self) == "Expected true or false at 1, found a string of 1 character.")
        #expect(reason("", Int.self)?.hasSuffix("found an empty string.") == true)
    }

    @Test("An empty text is a value for strings only") func empty() {
        #expect(Array(TextCandidates.candidates(for: .string(""))) == [.string("")])
        #expect(TextCandidates.isEmpty(.string("")) && !TextCandidates.isEmpty(.string(" ")))
    }

    @Test("Random texts are read without a crash, and the text comes first") func random() throws {
        var random = SeededGenerator()
        let parts = [
            "1", "-", ".", "e", "9999999999", "true", "no", ",", "[", "]", "{", "}", "\"", ":", " ", "s", "ms", "h",
            "m", "d",
            "2001-01-01", "T00:00:00Z", "é", "\u{301}", "\0", "null", "inf", "0", "+", "\\u", "😀",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...8, using: &random)
            let text = (0..<count).map { _ in parts.randomElement(using: &random)! }.joined()
            let candidates = Array(TextCandidates.candidates(for: .string(text)))
            let first = text.unicodeScalars.drop { $0 == " " }.first
            let isRight = candidates.first == .string(text) && (first != "[" && first != "{" || candidates.count <= 2)
            if !isRight { Issue.record("\(text), seed \(random.seed)") }
            if let span = try? decode(text, as: Duration.self), case .string(let spelled) = span.settingValue() {
                if try decode(spelled) != span { Issue.record("\(text), seed \(random.seed)") }
            }
        }
    }

    @Test("The time is proportional to the length", .timeLimit(.minutes(10))) func growth() {
        for (opening, part) in [
            ("", "1"), ("", ","), ("", "1,"), ("", "a"), ("", "1m"), ("", " "), ("[", "1,"), ("[", "["),
            ("{", "\"a\":{"),
            ("0.", "1"), ("1e", "1"), ("2001-01-01T00:00:00.", "1"), ("-", "-"), ("", "0"), ("", "true,"), ("", "é"),
        ] {
            let isLinear = isProportional(2_000) { count in
                let text = opening + String(repeating: part, count: count)
                _ = try? decode(text, as: [Int].self)
                _ = try? decode(text, as: Duration.self)
                _ = try? decode(text, as: Date.self)
                _ = try? decode(text, as: Double.self)
            }
            #expect(isLinear, "\(opening)\(part)\(part)…")
        }
    }
}

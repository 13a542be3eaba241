import Settle
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct SettingValueJSONTests {
    @Test("Any JSON value can be read")
    func reading() throws {
        let cases: [(String, SettingValue)] = [
            ("5", .integer(5)), (" \"x\"\n", .string("x")), ("true", .bool(true)), ("null", .null), ("0.5", .real(0.5)),
            ("18446744073709551616", .number("18446744073709551616")),
            ("[1, {}]", .array([.integer(1), .dictionary([:])])), ("{\"a\":null}", .dictionary(["a": .null])),
        ]
        for (text, value) in cases {
            #expect(try SettingValue(json: Data(text.utf8)) == value, "\(text)")
        }
    }

    @Test("Invalid JSON is refused with its line and column")
    func refusals() {
        let cases: [(String, String)] = [
            ("", "Line 1, column 1: The text is empty; a missing value is null."),
            ("1 2", "Line 1, column 3: There is something after the end of the value."),
            ("[1,\n 2", "Line 2, column 3: A comma or ] is expected here."),
            ("[1,", "Line 1, column 4: The text ends where a value is expected."),
            ("nul", "Line 1, column 1: A value is expected here."),
            ("01", "Line 1, column 1: A number must not start with 0."),
            ("{\"a\":1,\"a\":2}", "Line 1, column 8: The key “a” occurs twice."),
        ]
        for (text, message) in cases {
            let error = #expect(throws: FormatError.self, "\(text)") { try SettingValue(json: Data(text.utf8)) }
            #expect(error?.description == message, "\(text)")
        }
    }

    @Test("Reading and writing have the same nesting limit") func depth() throws {
        let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        let value = try SettingValue(json: Data(deepest.utf8))
        #expect(try value.json() == Data(deepest.utf8))
        let error = #expect(throws: FormatError.self) { try SettingValue(json: Data("[\(deepest)]".utf8)) }
        #expect(error?.rule == .limit)
        let tooDeep = #expect(throws: FormatError.self) { try SettingValue.array([value]).json() }
        #expect(tooDeep?.rule == .limit)
    }

    @Test("JSON is written as one line with sorted keys") func writing() throws {
        let value = SettingValue.dictionary([
            "b": .array([.integer(1), .real(2), .null, .array([])]), "a": .string("q\"\n"), "d": .data(Data([0, 255])),
            "c": .date(Date(timeIntervalSinceReferenceDate: 0)), "e": .dictionary([:]),
        ])
        let text = String(decoding: try value.json(), as: UTF8.self)
        #expect(
            text == "{\"a\":\"q\\\"\\n\",\"b\":[1,2.0,null,[]],\"c\":\"2001-01-01T00:00:00Z\",\"d\":\"AP8=\",\"e\":{}}")
        let read = try SettingValue(json: Data(text.utf8))
        #expect(try read.json() == Data(text.utf8))
    }

    @Test("A value that JSON can't spell is refused with its key") func unspellable() {
        let error = #expect(throws: FormatError.self) {
            try SettingValue.dictionary(["a": .array([.real(.nan)])]).json()
        }
        #expect(error?.place == .key("a.0"))
    }
}

import FoundationEssentials
import Settle
import SettleTesting
import Testing

@Suite struct JSONFormatTests {
    private func value(_ literal: String) throws -> SettingValue? {
        try JSONFormat().decode(Array("{\"a\":\(literal)}".utf8)).root["a"]
    }

    private func text(_ root: SettingValue.Entries) throws -> String {
        String(decoding: try JSONFormat().encode(SettingTree(root)), as: UTF8.self)
    }

    private func failure(of text: String) -> FormatError? {
        failure(of: Array(text.utf8))
    }

    private func failure(of bytes: [UInt8]) -> FormatError? {
        do {
            _ = try JSONFormat().decode(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("A file is sorted and indented, and ends with a newline")
    func layout() throws {
        let root: SettingValue.Entries = [
            "b": .array([.integer(1), .null, .array([]), .dictionary([:])]), "B": .bool(true),
            "a": .dictionary(["ü/": .string("é\"\\\n\u{1}"), "r": .real(60)]),
        ]
        let expected = """
            {
              "B": true,
              "a": {
                "r": 60.0,
                "ü/": "é\\"\\\\\\n\\u0001"
              },
              "b": [
                1,
                null,
                [],
                {}
              ]
            }

            """
        #expect(try text(root) == expected)
        #expect(try JSONFormat().decode(Array(expected.utf8)) == SettingTree(root))
        #expect(try text([:]) == "{}\n")
    }

    @Test("Keys are sorted by their bytes")
    func keyOrder() throws {
        var random = SeededGenerator()
        let letters = ["a", "b", "é", "\u{1}", "😀", "abcdefgh", "."]
        for round in 0..<200 {
            var root: SettingValue.Entries = [:]
            for _ in 0..<(round % 20) {
                let name = (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in
                    letters.randomElement(using: &random)
                }
                root["shared." + name.joined()] = .bool(true)
            }
            let written = try text(root).split(separator: "\n").compactMap { line in
                line.contains("true") ? line.utf8.dropFirst(3).prefix { $0 != UInt8(ascii: "\"") } : nil
            }
            let escaped = root.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                .map { $0.replacing("\u{1}", with: "\\u0001") }
            #expect(written.map { String($0) } == escaped, "seed \(random.seed)")
        }
    }

    @Test("Numbers are read and written without loss")
    func numbers() throws {
        let cases: [(String, SettingValue)] = [
            ("0", .integer(0)), ("-7", .integer(-7)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number("9223372036854775808")),
            ("123456789012345678901234567890", .number("123456789012345678901234567890")),
            ("1.0", .real(1)), ("1e2", .real(100)), ("1E+2", .real(100)), ("0.1", .real(0.1)),
            ("-2.5e-3", .real(-0.0025)),
            ("1e22", .real(1e22)), ("1e23", .real(1e23)), ("5e-324", .real(.leastNonzeroMagnitude)),
            ("4e-324", .number("4e-324")),
            ("1.7976931348623157e308", .real(.greatestFiniteMagnitude)), ("1e400", .number("1e400")),
            ("1e-400", .number("1e-400")), ("0.10000000000000001", .number("0.10000000000000001")),
            ("0.1000000000000000000", .real(0.1)), ("1e99999999999999999999", .number("1e99999999999999999999")),
            ("0e5", .real(0)),
        ]
        for (literal, expected) in cases {
            #expect(try value(literal) == expected, "\(literal)")
            let rewritten = try text(["a": expected])
            #expect(try JSONFormat().decode(Array(rewritten.utf8)).root["a"] == expected, "\(literal)")
        }
    }

    @Test("A negative zero stays negative", arguments: ["-0", "-0.0", "-0e9"])
    func negativeZero(literal: String) throws {
        guard case .real(let zero)? = try value(literal) else {
            Issue.record("\(literal) is no real")
            return
        }
        #expect(zero.sign == .minus)
        #expect(try text(["a": .real(zero)]).contains("-0.0"))
    }

    @Test("Every finite double round-trips exactly")
    func randomDoubles() throws {
        var random = SeededGenerator()
        for _ in 0..<2_000 {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            let bytes = try JSONFormat().encode(SettingTree(["a": .real(double)]))
            #expect(try JSONFormat().decode(bytes).root["a"] == .real(double), "seed \(random.seed)")
        }
    }

    @Test("Escapes and UTF-8 are read")
    func strings() throws {
        #expect(try value(#""\"\\\/\b\f\n\r\t""#) == .string("\"\\/\u{8}\u{C}\n\r\t"))
        #expect(try value(#""\u00e9\ud83d\ude00x""#) == .string("é😀x"))
        #expect(try value(#""é😀\u0000""#) == .string("é😀\0"))
    }

    @Test("Invalid JSON is refused with its line and column")
    func refusals() {
        let cases: [(String, String)] = [
            ("", "Line 1, column 1: The file is empty; a file without settings is {}."),
            (" \n", "Line 2, column 1: The file is empty; a file without settings is {}."),
            ("[]", "Line 1, column 1: A settings file must start with {."),
            ("{\"a\": 1,,}", "Line 1, column 9: A key in quotation marks is expected here."),
            ("{\"a\" 1}", "Line 1, column 6: A colon is expected after this key."),
            ("{\"ä\": 1\n \"b\": 2}", "Line 2, column 2: A comma or } is expected here."),
            ("{\"a\": [1 2]}", "Line 1, column 10: A comma or ] is expected here."),
            ("{\"ä\": x}", "Line 1, column 7: A value is expected here."),
            ("{\"a\": tru}", "Line 1, column 7: A value is expected here."),
            ("{\"a\":", "Line 1, column 6: The text ends where a value is expected."),
            ("{} {}", "Line 1, column 4: There is something after the end of the settings."),
            ("{\"a\": 01}", "Line 1, column 7: A number must not start with 0."),
            ("{\"a\": -}", "Line 1, column 8: A digit is expected here."),
            ("{\"a\": 1.}", "Line 1, column 9: A digit is expected after the decimal point."),
            ("{\"a\": 1e}", "Line 1, column 9: A digit is expected in the exponent."),
            ("{\"a\": +1}", "Line 1, column 7: A value is expected here."),
            ("{\"a\": \"x}", "Line 1, column 7: The string that starts here has no end."),
            ("{\"a\": \"\\x\"}", "Line 1, column 8: There is no such escape in JSON."),
            ("{\"a\": \"\\u12G4\"}", "Line 1, column 8: Four hexadecimal digits are expected after \\u."),
            ("{\"a\": \"\\ud800\"}", "Line 1, column 8: This is half of a surrogate pair, not a character."),
            ("{\"a\": \"\\ud800\\u0041\"}", "Line 1, column 8: This is half of a surrogate pair, not a character."),
            ("{\"a\": \"\\udc00\"}", "Line 1, column 8: This is half of a surrogate pair, not a character."),
            ("{\"a\": \"\t\"}", "Line 1, column 8: A control character in a string must be escaped."),
            ("{\"a\": 1, \"a\": 1}", "Line 1, column 10: The key “a” occurs twice."),
            ("{\"e\u{301}\": 1, \"e\\u0301\": 1}", "Line 1, column 11: The key “e\u{301}” occurs twice."),
        ]
        for (text, expected) in cases {
            #expect(failure(of: text)?.description == expected, "\(text)")
        }
    }

    @Test("Strict JSON speaks of a trailing comma, in an object and in an array")
    func trailingCommas() {
        for (text, column) in [("{\"a\": 1,}", 8), ("{\"a\": [1,]}", 9)] {
            let error = #expect(throws: FormatError.self) { try FileFormat.strictJSON.decode(Array(text.utf8)) }
            #expect(error?.description == "Line 1, column \(column): A trailing comma is not allowed here.")
        }
    }

    @Test("Bytes that are not UTF-8 are refused", arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xC3]])
    func invalidUTF8(bytes: [UInt8]) {
        let error = failure(of: Array("{\"a\": \"".utf8) + bytes + Array("\"}".utf8))
        #expect(error?.rule == .encoding)
        #expect(error?.place == .text(line: 1, column: 7))
    }

    @Test("A byte order mark is skipped")
    func byteOrderMark() throws {
        #expect(try JSONFormat().decode([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == SettingTree())
    }

    @Test("The reader and the writer have the same nesting limit")
    func depth() throws {
        var tree = SettingTree(["a": .array([])])
        for _ in 0..<126 { tree = SettingTree(["a": .dictionary(tree.root)]) }
        let bytes = try JSONFormat().encode(tree)
        #expect(try JSONFormat().decode(bytes) == tree)
        #expect(failure(of: Array("{\"b\":".utf8) + bytes + Array("}".utf8))?.rule == .limit)
        #expect(throws: FormatError.self) { _ = try JSONFormat().encode(SettingTree(["b": .dictionary(tree.root)])) }
    }

    @Test("A value that JSON can't spell is an error that names its key")
    func unsupportedValues() {
        #expect {
            try JSONFormat().encode(SettingTree(["a": .dictionary(["b": .array([.null, .real(.nan)])])]))
        } throws: {
            "\($0)" == "Key “a.b.1”: JSON can't represent the number nan."
        }
        #expect(throws: FormatError.self) { try JSONFormat().encode(SettingTree(["a": .number("1,5")])) }
        let noTime = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(throws: FormatError.self) { try JSONFormat().encode(SettingTree(["a": .date(noTime)])) }
    }

    @Test("Dates and data become strings that their codecs decode")
    func datesAndData() throws {
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        let root: SettingValue.Entries = ["date": .date(date), "data": .data(Data([0, 255]))]
        let read = try JSONFormat().decode(try JSONFormat().encode(SettingTree(root))).root
        #expect(read["date"] == .string("2001-01-01T00:00:12.5Z"))
        #expect(try SettingCodec<Date>.standard.decode(try #require(read["date"])) == date)
        #expect(try SettingCodec<Data>.standard.decode(try #require(read["data"])) == Data([0, 255]))
    }

    @Test("Dates beyond the year 9999 round-trip exactly")
    func farDates() throws {
        var random = SeededGenerator()
        for exponent in 12..<300 {
            let interval = Double.random(in: -1...1, using: &random) * .pow(10, exponent)
            let date = Date(timeIntervalSinceReferenceDate: interval)
            let bytes = try JSONFormat().encode(SettingTree(["a": .date(date)]))
            let value = try #require(try JSONFormat().decode(bytes).root["a"])
            #expect(try SettingCodec<Date>.standard.decode(value) == date, "seed \(random.seed)")
        }
    }

    @Test("Foundation's coders and Settle's read each other's files")
    func agreesWithFoundation() throws {
        let sample = FormatSample()
        let codec = SettingCodec<FormatSample>.standard
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .iso8601
        let theirs = try JSONFormat().decode(Array(try encoder.encode(sample)))
        #expect(try codec.decode(.dictionary(theirs.root)) == sample)

        guard case .dictionary(let root) = try codec.encode(sample) else {
            Issue.record("A structure must become a dictionary.")
            return
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let ours = Data(try JSONFormat().encode(SettingTree(root)))
        #expect(try decoder.decode(FormatSample.self, from: ours) == sample)
    }
}

extension Double {
    fileprivate static func pow(_ base: Double, _ exponent: Int) -> Double {
        (0..<exponent).reduce(1) { product, _ in product * base }
    }
}

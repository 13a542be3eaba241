import FoundationEssentials
import Settle
import SettleTesting
import Testing

@Suite struct XMLPropertyListFormatTests {
    private func file(_ content: String) -> [UInt8] {
        Array("<plist version=\"1.0\"><dict><key>a</key>\(content)</dict></plist>".utf8)
    }

    private func value(_ element: String) throws -> SettingValue? {
        try XMLPropertyListFormat().decode(file(element)).root["a"]
    }

    private func text(_ root: SettingValue.Entries) throws -> String {
        String(decoding: try XMLPropertyListFormat().encode(SettingTree(root)), as: UTF8.self)
    }

    private func failure(of bytes: [UInt8]) -> FormatError? {
        do {
            _ = try XMLPropertyListFormat().decode(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("A file has the layout of Apple's tools")
    func layout() throws {
        let root: SettingValue.Entries = [
            "b": .array([.integer(-1), .real(1), .bool(true), .array([])]),
            "a": .dictionary(["<&>": .string("\r\t\u{1}é")]),
            "c": .null, "d": .date(Date(timeIntervalSinceReferenceDate: 0)), "e": .data(Data([1, 2, 3])),
        ]
        let expected = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            	<key>a</key>
            	<dict>
            		<key>&lt;&amp;&gt;</key>
            		<string>&#13;	&#1;é</string>
            	</dict>
            	<key>b</key>
            	<array>
            		<integer>-1</integer>
            		<real>1.0</real>
            		<true/>
            		<array/>
            	</array>
            	<key>c</key>
            	<string>$null</string>
            	<key>d</key>
            	<date>2001-01-01T00:00:00Z</date>
            	<key>e</key>
            	<data>AQID</data>
            </dict>
            </plist>

            """
        #expect(try text(root) == expected)
        #expect(try XMLPropertyListFormat().decode(Array(expected.utf8)) == SettingTree(root))
        let empty = try XMLPropertyListFormat().encode(SettingTree())
        #expect(try XMLPropertyListFormat().decode(empty) == SettingTree())
    }

    @Test("Elements are read in the spellings of other tools")
    func spellings() throws {
        let cases: [(String, SettingValue)] = [
            ("<integer>18446744073709551615</integer>", .number("18446744073709551615")),
            (
                "<integer>-000000000000000000000000000000000000000000123456789012345678901234567890</integer>",
                .number("-123456789012345678901234567890")
            ),
            (
                "<integer>9999999999999999999999999999999999999999</integer>",
                .number("9999999999999999999999999999999999999999")
            ),
            ("<integer> +0x1F\n</integer>", .integer(31)), ("<integer>-0</integer>", .integer(0)),
            ("<real>1</real>", .real(1)), ("<real>+1.50e+2</real>", .real(150)), ("<real>.5</real>", .real(0.5)),
            ("<real>0.10000000000000001</real>", .real(0.1)), ("<real>-infinity</real>", .real(-.infinity)),
            ("<real>inf</real>", .real(.infinity)), ("<true></true>", .bool(true)), ("<false />", .bool(false)),
            ("<string/>", .string("")), ("<string>&#65;&#x1F600;&lt;&apos;</string>", .string("A😀<'")),
            ("<string><![CDATA[<&>]]>x<!-- y -->z</string>", .string("<&>xz")),
            ("<string>a\r\nb</string>", .string("a\r\nb")),
            ("<string>$null</string>", .null), ("<data>\n\tAQ\n\tID\n</data>", .data(Data([1, 2, 3]))),
            ("<data/>", .data(Data())),
            ("<array><!-- --><dict/></array>", .array([.dictionary([:])])),
        ]
        for (element, expected) in cases {
            let read = try #require(try value(element), "\(element)")
            #expect(read == expected, "\(element)")
            let rewritten = try XMLPropertyListFormat().encode(SettingTree(["a": read]))
            #expect(try XMLPropertyListFormat().decode(rewritten).root["a"] == expected, "\(element)")
        }
    }

    @Test("Invalid property lists are refused with their line and column")
    func refusedFiles() {
        let cases: [(String, String)] = [
            ("", "Line 1, column 1: The file has no <plist> element."),
            ("<dict/>", "Line 1, column 1: A property list must start with <plist>."),
            (
                "<!DOCTYPE plist [<!ENTITY a \"b\">]>",
                "Line 1, column 17: A property list must not declare anything in its document type."
            ),
            (
                "<?xml version=\"1.0\" encoding=\"UTF-16\"?>",
                "Line 1, column 1: The file must be in UTF-8, but declares utf-16."
            ),
            ("<!-- a", "Line 1, column 1: The comment that starts here has no end."),
            ("<plist><array/></plist>", "Line 1, column 8: The settings must be a <dict>."),
            ("<plist><dict/></plist>\nx", "Line 2, column 1: There is something after the end of the settings."),
            ("<plist><dict/>", "Line 1, column 15: The file ends where a tag is expected."),
            ("<plist><dict/><dict/></plist>", "Line 1, column 22: </plist> is expected after the settings."),
        ]
        for (text, expected) in cases {
            #expect(failure(of: Array(text.utf8))?.description == expected, "\(text)")
        }
    }

    @Test("An invalid element is refused")
    func refusedElements() {
        let cases: [(String, FormatError.Rule)] = [
            ("<string>&nbsp;</string>", FormatError.Rule.encoding), ("<string>&#xD800;</string>", .encoding),
            ("<string>&#x+41;</string>", .encoding), ("<string>a & b</string>", .syntax),
            ("<string><b/></string>", .syntax), ("<string>a</key>", .syntax), ("<string>", .syntax),
            ("<string a=\"b\">c</string>", .syntax), ("<uid>1</uid>", .unsupportedValue), ("text", .syntax),
            ("<integer></integer>", .unsupportedValue), ("<integer>1.0</integer>", .unsupportedValue),
            ("<integer>0x</integer>", .unsupportedValue), ("<integer>0x-1</integer>", .unsupportedValue),
            ("<real>1e400</real>", .unsupportedValue), ("<real>0x1p3</real>", .unsupportedValue),
            ("<real/>", .unsupportedValue), ("<true>1</true>", .unsupportedValue),
            ("<date>2001-01-01</date>", .unsupportedValue), ("<date>2001-02-29T00:00:00Z</date>", .unsupportedValue),
            ("<data>A</data>", .unsupportedValue), ("<key>b</key>", .unsupportedValue), ("</dict>", .syntax),
            ("<true/><key>a</key><true/>", .duplicateKey), ("<true/><true/>", .syntax),
        ]
        for (element, rule) in cases {
            let error = failure(of: file(element))
            #expect(error != nil, "\(element)")
            if element != "<uid>1</uid>", element != "<key>b</key>" { #expect(error?.rule == rule, "\(element)") }
        }
    }

    @Test("Text that is not UTF-8 is refused")
    func invalidUTF8() {
        var bytes = file("<string>x</string>")
        bytes[bytes.firstIndex(of: UInt8(ascii: "x")) ?? 0] = 0xFF
        #expect(failure(of: bytes)?.rule == .encoding)
    }

    @Test("The reader and the writer have the same nesting limit")
    func depth() throws {
        var tree = SettingTree(["a": .array([])])
        for _ in 0..<126 { tree = SettingTree(["a": .dictionary(tree.root)]) }
        let bytes = try XMLPropertyListFormat().encode(tree)
        #expect(try XMLPropertyListFormat().decode(bytes) == tree)
        let deeper = String(decoding: bytes, as: UTF8.self)
            .replacing("<array/>", with: "<array><array/></array>")
        #expect(failure(of: Array(deeper.utf8))?.rule == .limit)
        #expect(throws: FormatError.self) {
            _ = try XMLPropertyListFormat().encode(SettingTree(["b": .dictionary(tree.root)]))
        }
    }

    @Test("A value that a property list can't spell is an error that names its key")
    func unsupportedValues() {
        let values: [SettingValue] = [.number("1.5e-400"), .number("1e400"), .number("x")]
        for value in values {
            #expect {
                _ = try XMLPropertyListFormat().encode(SettingTree(["a": .array([value])]))
            } throws: {
                "\($0)".hasPrefix("Key “a.0”: A property list cannot store th")
            }
        }
    }

    @Test("Dates stay dates, and round-trip exactly")
    func dates() throws {
        var random = SeededGenerator()
        let intervals = (0..<500).map { _ in Double.random(in: -4e10...1e11, using: &random) }
        let far = [
            Double.leastNonzeroMagnitude, -1e-30, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e38, 2.5e12,
            -6.3e10,
        ]
        let dates = (intervals + intervals.map { $0.rounded() } + far).map(Date.init(timeIntervalSinceReferenceDate:))
        for date in dates + [Date.distantPast, .distantFuture] {
            let bytes = try XMLPropertyListFormat().encode(SettingTree(["a": .date(date)]))
            #expect(try XMLPropertyListFormat().decode(bytes).root["a"] == .date(date), "seed \(random.seed)")
        }
    }

    @Test("A date that <date> can't hold is a string that no string has")
    func datesAsStrings() throws {
        let date = SettingValue.date(Date(timeIntervalSinceReferenceDate: 0.25))
        #expect(try text(["a": date]).contains("<string>$date 2001-01-01T00:00:00.25Z</string>"))
        #expect(try value("<string>$date 2001-01-01T02:00:00.250+02:00</string>") == date)
        #expect(try value("<string>$date 978307200.25</string>") == date)
        #expect(try value("<string>$date tomorrow</string>") == .string("$date tomorrow"))
        // As earlier versions have written it.
        let spelled = try #require(try value("<string>2001-01-01T00:00:00.25Z</string>"))
        #expect(spelled == .string("2001-01-01T00:00:00.25Z"))
        #expect(.date(try SettingCodec<Date>.standard.decode(spelled)) == date)
    }

    @Test(
        "Strings that are spelled like null or a date stay strings, as values and as keys",
        arguments: ["$null", "$$null", "$date ", "$date 2001-01-01T00:00:00.25Z", "$$$date 0", "$date", "date 0", "$"])
    func specialStrings(_ text: String) throws {
        let tree = SettingTree(["a": .string(text), text: .string(text)])
        #expect(try XMLPropertyListFormat().decode(XMLPropertyListFormat().encode(tree)) == tree)
        #expect(try BinaryPropertyListFormat().decode(BinaryPropertyListFormat().encode(tree)) == tree)
    }

    @Test("Foundation reads dates of all centuries as the same dates")
    func historicalDates() throws {
        var random = SeededGenerator()
        // The Gregorian calendar began then: 15 October 1582 followed 4 October.
        let change = -152_750
        let days = (0..<300).map { _ in Int.random(in: -730_000...2_900_000, using: &random) }
        for days in days + Array((change - 12)...(change + 1)) {
            let date = Date(timeIntervalSinceReferenceDate: Double(days * 86_400))
            let ours = Data(try XMLPropertyListFormat().encode(SettingTree(["a": .date(date)])))
            #expect(
                try PropertyListDecoder().decode([String: Date].self, from: ours) == ["a": date], "seed \(random.seed)")
        }
    }

    @Test("Foundation's coders and Settle's read each other's files")
    func agreesWithFoundation() throws {
        let sample = FormatSample()
        let codec = SettingCodec<FormatSample>.standard
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let theirs = try XMLPropertyListFormat().decode(Array(try encoder.encode(sample)))
        #expect(try codec.decode(.dictionary(theirs.root)) == sample)

        guard case .dictionary(let root) = try codec.encode(sample) else {
            Issue.record("A structure must become a dictionary.")
            return
        }
        let ours = Data(try XMLPropertyListFormat().encode(SettingTree(root)))
        #expect(try PropertyListDecoder().decode(FormatSample.self, from: ours) == sample)
    }

    @Test("Foundation reads every control character that Settle writes")
    func controlCharacters() throws {
        let text = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0 as UInt32) }))
        let bytes = try XMLPropertyListFormat().encode(SettingTree(["a": .string(text)]))
        #expect(try XMLPropertyListFormat().decode(bytes).root["a"] == .string(text))
        #expect(try PropertyListDecoder().decode([String: String].self, from: Data(bytes)) == ["a": text])
    }
}

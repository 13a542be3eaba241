import Foundation
import Settle
import SettleInterchange
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct PropertyListTests {
    private func read(_ text: String) throws(FormatError) -> (list: PropertyList, form: PropertyList.Form) {
        try PropertyList.read(Data(text.utf8))
    }

    private static let sample = SettingValue.dictionary([
        "a b": .dictionary([:]), "d": .data(Data([0, 1, 2, 3, 4])), "none": .array([]),
        "list": .array([.string("80"), .string("x-y"), .dictionary(["": .string("")]), .string("a//b")]),
        "text": .string("é\"\\\n\u{1}😀/$_.1"), "e\u{301}": .string("e"), "path": .string("/usr/lib"),
    ])

    @Test("The old text form is sorted, indented, and quotes only what needs it") func layout() throws {
        let expected = #"""
            {
                "a b" = {};
                d = <00010203 04>;
                "e\U0301" = e;
                list = (
                    80,
                    "x-y",
                    {
                        "" = "";
                    },
                    "a//b"
                );
                none = ();
                path = /usr/lib;
                text = "\U00e9\"\\\n\U0001\Ud83d\Ude00/$_.1";
            }

            """#
        let data = try PropertyList(Self.sample).data(as: .oldText)
        #expect(String(decoding: data, as: UTF8.self) == expected)
        let (list, form) = try PropertyList.read(data)
        #expect(list.value.differences(from: Self.sample) == [])
        #expect(form == .oldText)
    }

    @Test("Each form has any value at its root", arguments: PropertyList.Form.allCases)
    func roots(form: PropertyList.Form) throws {
        let values: [SettingValue] = [
            .string(""), .string("a"), .string("a b"), .data(Data()), .data(Data([255])), .array([]), .dictionary([:]),
            .array([.array([.string("é")])]), .string("$null"), .string("//"), .dictionary(["CF$UID": .string("5")]),
        ]
        let typed: [SettingValue] = [
            .bool(true), .integer(-5), .real(-0.0), .number("18446744073709551615"),
            .date(Date(timeIntervalSinceReferenceDate: 0)), .dictionary(["CF$UID": .integer(70_000)]),
        ]
        for value in form == .oldText ? values : values + typed {
            let (list, found) = try PropertyList.read(try PropertyList(value).data(as: form))
            #expect(list.value.differences(from: value) == [], "\(value)")
            #expect(found == form)
        }
    }

    @Test("A reference is written as one, and is as deep as the dictionary that it is read as") func references() throws
    {
        let data = try PropertyList(.dictionary(["CF$UID": .integer(5)])).data(as: .binary)
        #expect([UInt8](data)[8...9] == [0x80, 5])
        var value = SettingValue.dictionary(["CF$UID": .integer(5)])
        for _ in 0..<127 { value = .array([value]) }
        #expect(try PropertyList.read(try PropertyList(value).data(as: .binary)).list.value == value)
        let deeper = SettingValue.array([value])
        #expect(failure { () throws(FormatError) in _ = try PropertyList(deeper).data(as: .binary) }?.rule == .limit)
        // 128 arrays, and a reference in the last one.
        var bytes = Array("bplist00".utf8)
        for object in 1...128 { bytes += [0xA1, UInt8(object)] }
        bytes += [0x80, 5]
        let table = bytes.count
        for object in 0...128 { bytes += [UInt8((8 + 2 * object) >> 8), UInt8((8 + 2 * object) & 0xFF)] }
        bytes += [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [129, 0, table] { bytes += [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)] }
        #expect(failure { () throws(FormatError) in _ = try PropertyList.read(Data(bytes)) }?.rule == .limit)
    }

    @Test("A value that a form does not hold is refused with its key") func refusedValues() {
        let cases: [(SettingValue, PropertyList.Form, String)] = [
            (.null, .xml, "A property list has no null."), (.null, .binary, "A property list has no null."),
            (.bool(true), .oldText, "The old text form has only text and data."),
            (.integer(1), .oldText, "The old text form has only text and data."),
            (.date(Date(timeIntervalSinceReferenceDate: 0.5)), .xml, "XML has only dates in whole seconds."),
            (.date(Date(timeIntervalSinceReferenceDate: 1e15)), .xml, "XML has only dates of the years 0 to 9999."),
            (.date(Date(timeIntervalSinceReferenceDate: .infinity)), .binary, "A date must be finite."),
            (.real(Double(nan: 5, signaling: false)), .xml, "XML has only one NaN."),
            (.number("1e400"), .xml, "A property list has no numbers of this size."),
            (.number("0.1000000000000000055"), .xml, "A property list does not hold all digits of this number."),
            (
                .number("170141183460469231731687303715884105728"), .binary,
                "A property list has no integers of this size."
            ),
            (.number("x"), .xml, "This is not a number."),
        ]
        for (value, form, reason) in cases {
            let list = PropertyList(.dictionary(["a.b": .array([.string(""), value])]))
            let error = failure { () throws(FormatError) in _ = try list.data(as: form) }
            #expect(error?.description == #"Key “a\.b.1”: "# + reason)
            #expect(error?.rule == .unsupportedValue)
        }
    }

    @Test("What is written is read as the equal list") func random() throws {
        var values = InterchangeValues(random: SeededGenerator())
        var written = 0
        for _ in 0..<3_000 {
            let value = values.next()
            for form in PropertyList.Form.allCases {
                guard let data = try? PropertyList(value).data(as: form) else { continue }
                written += 1
                let (list, found) = try PropertyList.read(data)
                #expect(list.value.differences(from: value.withPlainNumbers) == [], "\(values.seed)")
                #expect(found == form)
                #expect(try list.data(as: form) == data, "\(values.seed)")
            }
        }
        #expect(written > 2_000)
    }

    @Test("Foundation reads what is written, and the other way round") func foundation() throws {
        var values = InterchangeValues(random: SeededGenerator(), isPlain: true)
        var compared = 0
        for _ in 0..<1_000 {
            let value = values.next()
            guard !hasEquivalentKeys(value) else { continue }
            for form in PropertyList.Form.allCases {
                let data = try PropertyList(value).data(as: form)
                // Foundation takes a byte order mark at the start of any text in XML for one.
                if form == .xml, data.contains(0xBB) { continue }
                compared += 1
                let theirs = try PropertyListSerialization.propertyList(from: data, format: nil)
                let found = try #require(SettingValue(plain: theirs))
                #expect(found.differences(from: value) == [], "\(form), \(values.seed)")
                guard form != .oldText else { continue }
                let again = try PropertyListSerialization.data(
                    fromPropertyList: theirs, format: form == .xml ? .xml : .binary, options: 0)
                #expect(try PropertyList.read(again).list.value.differences(from: value) == [], "\(values.seed)")
            }
        }
        #expect(compared > 2_000)
    }

    /// Whether a dictionary has two keys that Unicode calls equivalent: Foundation's have one of them.
    private func hasEquivalentKeys(_ value: SettingValue) -> Bool {
        switch value {
        case .array(let elements): return elements.contains(where: hasEquivalentKeys)
        case .dictionary(let entries):
            return Set(entries.map(\.key)).count < entries.count || entries.contains { hasEquivalentKeys($0.value) }
        default: return false
        }
    }

    @Test("XML and the old text form may be in UTF-16") func utf16() throws {
        let xml = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><string>é😀</string></plist>"
        for (text, form) in [(xml, PropertyList.Form.xml), ("/* é */ \"é😀\"", .oldText)] {
            let big = text.utf16Bytes(isBigEndian: true)
            for bytes in [big, text.utf16Bytes(isBigEndian: false)] {
                let (list, found) = try PropertyList.read(Data(bytes))
                #expect(list.value == .string("é😀"))
                #expect(found == form)
            }
            let half = failure { () throws(FormatError) in _ = try PropertyList.read(Data(big.dropLast())) }
            #expect(
                half?.description
                    == "Line 1, column \(text.unicodeScalars.count): The file ends in the middle of a character.")
        }
        let broken: [UInt8] = [0xFE, 0xFF, 0, 0x0A, 0, 0x22, 0xD8, 0x3D, 0, 0x22]
        let error = failure { () throws(FormatError) in _ = try PropertyList.read(Data(broken)) }
        #expect(error?.description == "Line 2, column 2: This is half of a character.")
        #expect(error?.rule == .encoding)
        let lonely: [UInt8] = [0xFF, 0xFE, 0x22, 0, 0x3D, 0xD8, 0, 0xDE, 0, 0xDE]
        let second = failure { () throws(FormatError) in _ = try PropertyList.read(Data(lonely)) }
        #expect(second?.description == "Line 1, column 3: This is half of a character.")
        #expect(
            try PropertyList.read(Data("\u{FEFF}{a;}".utf8)).list.value == .dictionary(["a": .string("a")])
        )
    }

    @Test(
        "A value in XML needs no plist element around it",
        arguments: [
            ("<array><string>a</string></array>", .array([.string("a")])),
            (" <!-- a --> <dict><key>a</key><true/></dict>\n", .dictionary(["a": .bool(true)])),
            ("<?xml version=\"1.0\"?>\n<integer>5</integer>", .integer(5)), ("<dict/>", .dictionary([:])),
        ] as [(String, SettingValue)])
    func bareElements(text: String, expected: SettingValue) throws {
        let (list, form) = try read(text)
        #expect(list.value == expected && form == .xml)
    }

    @Test("What comes after a value without a plist element is refused") func afterBareElements() {
        for text in ["<array/><array/>", "<dict/></plist>", "<true/>x"] {
            let error = failure { () throws(FormatError) in _ = try read(text) }
            #expect(error?.reason == "There is something after the end of the settings.", "\(text)")
        }
    }

    @Test("A key that a dictionary has twice is refused by name, unless one of its values is asked for")
    func duplicateKeys() throws {
        // A dictionary, its key, two values, their offsets, and the sizes, the root and the place of these.
        var bytes = Array("bplist00".utf8)
        bytes += [0xD2, 1, 1, 2, 3, 0x51, 0x61, 0x10, 1, 0x10, 2, 8, 13, 15, 17]
        bytes += [0, 0, 0, 0, 0, 0, 1, 1]
        for number: UInt8 in [4, 0, 19] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        let binary = Data(bytes)
        let xml = Data(
            "<dict>\n<key>a</key><integer>1</integer>\n<key>a</key><integer>2</integer></dict>".utf8)
        for (data, place) in [(binary, "Byte 8"), (xml, "Line 3, column 1")] {
            let error = failure { () throws(FormatError) in _ = try PropertyList.read(data) }
            #expect(error?.description == "\(place): The key “a” occurs twice." && error?.rule == .duplicateKey)
            let first = try PropertyList.read(data, duplicateKeys: .first).list.value
            let last = try PropertyList.read(data, duplicateKeys: .last).list.value
            #expect(first == .dictionary(["a": .integer(1)]) && last == .dictionary(["a": .integer(2)]))
        }
        let text = Data("{a = 1; b = 3; a = 2;}".utf8)
        for (keys, value) in [(PropertyList.DuplicateKeys.refused, "2"), (.first, "1"), (.last, "2")] {
            let list = try PropertyList.read(text, duplicateKeys: keys).list
            #expect(list.value == .dictionary(["a": .string(value), "b": .string("3")]))
            guard keys != .refused else { continue }
            let json = Data("{\"a\": \"1\", \"b\": \"3\", \"a\": \"2\"}".utf8)
            #expect(try DocumentConversion.read(json, duplicateKeys: keys).value == list.value)
        }
    }

    @Test("What is neither UTF-8 nor anything is refused") func encodings() {
        let cases: [([UInt8], String)] = [
            ([], "Line 1, column 1: The file is empty."),
            (Array("(é,\n\"".utf8) + [0xFF], "Line 2, column 2: The text is not in UTF-8 from here on."),
            (Array("bplist00".utf8), "Byte 8: The file is too short for a binary property list."),
            (
                Array("<?xml version=\"1.0\" encoding=\"UTF-16\"?>".utf8),
                "Line 1, column 1: The file must be in UTF-8, but declares utf-16."
            ),
            (Array("<html/>".utf8), "Line 1, column 1: A property list must start with <plist>."),
        ]
        for (bytes, expected) in cases {
            let error = failure { () throws(FormatError) in _ = try PropertyList.read(Data(bytes)) }
            #expect(error?.description == expected)
        }
    }
}

import FoundationEssentials
import Settle
import SettleInterchange
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct PluralTableTests {
    private static let file = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
            <key>%d files in %d folders</key>
            <dict>
                <key>NSStringLocalizedFormatKey</key>
                <string>%1$#@files@ in %2$#@folders@, 100%%</string>
                <key>files</key>
                <dict>
                    <key>NSStringFormatSpecTypeKey</key>
                    <string>NSStringPluralRuleType</string>
                    <key>NSStringFormatValueTypeKey</key>
                    <string>d</string>
                    <key>one</key>
                    <string>%d file</string>
                    <key>other</key>
                    <string>%d files</string>
                </dict>
                <key>folders</key>
                <dict>
                    <key>NSStringFormatSpecTypeKey</key>
                    <string>NSStringPluralRuleType</string>
                    <key>NSStringFormatValueTypeKey</key>
                    <string>d</string>
                    <key>zero</key>
                    <string>nowhere</string>
                    <key>other</key>
                    <string>%d folders</string>
                </dict>
            </dict>
        </dict>
        </plist>
        """

    private func table(_ text: String) throws -> PluralTable { try PluralTable.read(Data(text.utf8)).table }

    private func findings(_ text: String) throws -> [String] { try table(text).findings.map(\.description) }

    @Test("A file is read, and its texts are found by key")
    func reading() throws {
        let (table, form) = try PluralTable.read(Data(Self.file.utf8))
        #expect(form == .xml && table.keys == ["%d files in %d folders"] && table.findings == [])
        let entry = try #require(table["%d files in %d folders"])
        #expect(entry.format == "%1$#@files@ in %2$#@folders@, 100%%" && entry.names == ["files", "folders"])
        let files = try #require(entry["files"])
        #expect(files.rule == PluralTable.Variable.pluralRule && files.valueType == "d")
        #expect(files.texts == [.one: "%d file", .other: "%d files"])
        #expect(files[.one] == "%d file" && files[.few] == "%d files" && entry["folders"]?[.zero] == "nowhere")
        #expect(table["x"] == nil && entry["x"] == nil)
    }

    @Test("A table is read as it was written", arguments: PropertyList.Form.allCases)
    func writing(form: PropertyList.Form) throws {
        var table = try table(Self.file)
        var entry = PluralTable.Entry(format: "%#@é@")
        entry["é"] = PluralTable.Variable(valueType: "lu", texts: [.few: "", .many: "%lu", .two: "x", .other: "é"])
        table["e\u{301}"] = entry
        table["é"] = PluralTable.Entry(format: nil)
        let (read, found) = try PluralTable.read(try table.data(as: form))
        #expect(read == table && found == form)
        table["é"]?.format = ""
        #expect(read != table)
        table["é"] = nil
        #expect(table.keys == ["%d files in %d folders", "e\u{301}"])
        table["e\u{301}"]?["é"] = nil
        #expect(table["e\u{301}"]?.names == [])
    }

    @Test("What a program would stumble over is a finding")
    func findings() throws {
        let variable =
            "{NSStringFormatSpecTypeKey = NSStringPluralRuleType; NSStringFormatValueTypeKey = d; other = x;}"
        let cases: [(String, [String])] = [
            ("{a = {NSStringLocalizedFormatKey = \"x\";};}", []),
            ("{a = {};}", ["Key “a”: There is no format."]),
            (
                "{c = x; b = {}; a = x;}",
                [
                    "Key “a”: The value is not a dictionary.", "Key “b”: There is no format.",
                    "Key “c”: The value is not a dictionary.",
                ]
            ),
            (
                "{a = {NSStringLocalizedFormatKey = \"%#@v@ %#@w@\"; v = \(variable);};}",
                ["Key “a”, “w”: A text names this variable, but it is not defined."]
            ),
            (
                "{a = {NSStringLocalizedFormatKey = \"%%#@v@ %#@\"; v = \(variable);};}",
                ["Key “a”, “v”: No text names this variable."]
            ),
            (
                "{a = {NSStringLocalizedFormatKey = \"%#@v@\"; v = {one = \"x\";};};}",
                [
                    "Key “a”, “v”: The rule of the variable is not NSStringPluralRuleType.",
                    "Key “a”, “v”: The variable has no text for other.",
                    "Key “a”, “v”: The variable does not say how its number is passed.",
                ]
            ),
            (
                "{a = {NSStringVariableWidthRuleType = {20 = x;};};}",
                ["Key “a”, “NSStringVariableWidthRuleType”: This has no known meaning here."]
            ),
            (
                "{a = {NSStringLocalizedFormatKey = (x); v = \(variable); y = z;};}",
                [
                    "Key “a”: There is no format.", "Key “a”, “v”: No text names this variable.",
                    "Key “a”, “NSStringLocalizedFormatKey”: This has no known meaning here.",
                    "Key “a”, “y”: This has no known meaning here.",
                ]
            ),
            (
                "{a = {NSStringLocalizedFormatKey = \"%#@v@\"; v = \(variable.replacing("x;", with: "(x); fuw = y;"));};}",
                [
                    "Key “a”, “v”: The variable has no text for other.",
                    "Key “a”, “v”: “fuw” has no known meaning in a variable.",
                    "Key “a”, “v”: “other” has no known meaning in a variable.",
                ]
            ),
        ]
        for (text, expected) in cases {
            #expect(try findings(text) == expected, "\(text)")
            let table = try table(text)
            #expect(try PluralTable.read(try table.data()).table == table, "\(text)")
        }
    }

    @Test("Variables that name themselves are found")
    func circles() throws {
        func circular(_ uses: [(String, String)]) -> [String?] {
            var entry = PluralTable.Entry(format: "%#@a@")
            for (name, text) in uses { entry[name] = PluralTable.Variable(valueType: "d", texts: [.other: text]) }
            var table = PluralTable()
            table["key"] = entry
            return table.findings.filter { $0.kind == .circularVariable }.map(\.name)
        }
        #expect(circular([("a", "%#@b@"), ("b", "x")]) == [])
        #expect(circular([("a", "%#@a@")]) == ["a"])
        #expect(circular([("a", "%#@b@"), ("b", "%2$#@c@ %#@d@"), ("c", "%#@b@"), ("d", "")]) == ["b", "c"])
        // Between two circles, but on none.
        #expect(circular([("a", "%#@a@ %#@b@"), ("b", "%#@c@"), ("c", "%#@d@"), ("d", "%#@c@")]) == ["a", "c", "d"])
        // A chain that is too long for recursion.
        let chain = (0..<20_000).map { ("v\($0)", "%#@v\($0 + 1)@") }
        #expect(circular(chain) == [])
        #expect(circular(chain + [("v20000", "%#@v0@")]).count == 20_001)
    }

    @Test("Findings take a time that is proportional to the number of variables") func growth() {
        let isLinear = isProportional(8_000) { count in
            var entry = PluralTable.Entry(format: "%#@v0@")
            for number in 0..<count {
                entry["v\(number)"] = PluralTable.Variable(valueType: "d", texts: [.other: "%#@v\(number + 1)@"])
            }
            var table = PluralTable()
            table["key"] = entry
            #expect(table.findings.map(\.name) == ["v\(count)"])
        }
        #expect(isLinear)
    }

    @Test("Only a dictionary is a table, and no variable has a name of the format")
    func errors() {
        let root = failure { () throws(FormatError) in _ = try PluralTable.read(Data("(a)".utf8)) }
        #expect(root?.description == "A file of plurals must be a dictionary.")
        var table = PluralTable()
        table["a.b"] = PluralTable.Entry(format: "x")
        table["a.b"]?["NSStringLocalizedFormatKey"] = PluralTable.Variable(valueType: "d", texts: [:])
        let name = failure { () throws(FormatError) in _ = try table.data() }
        #expect(
            name?.description
                == #"Key “a\.b.NSStringLocalizedFormatKey”: The name of a variable must not begin with NSString."#)
    }

    @Test("Random dictionaries are read and written without a loss")
    func random() throws {
        var values = InterchangeValues(random: SeededGenerator())
        let names = [
            "NSStringLocalizedFormatKey", "NSStringFormatSpecTypeKey", "NSStringFormatValueTypeKey", "one", "other",
        ]
        func variable() -> SettingValue.Entries {
            var entries = values.entries(depth: 4)
            for _ in 0..<3 { entries[values.pick(names)] = .string(values.text()) }
            return entries
        }
        var read = 0
        for _ in 0..<500 {
            var root = values.entries(depth: 3)
            var entry = variable()
            entry[values.text()] = .dictionary(variable())
            root[values.text()] = .dictionary(entry)
            guard let data = try? PropertyList(.dictionary(root)).data(as: .binary) else { continue }
            read += 1
            let table = try PluralTable.read(data).table
            _ = table.findings
            let written = try PropertyList.read(try table.data(as: .binary)).list.value
            #expect(written.differences(from: SettingValue.dictionary(root).withPlainNumbers) == [], "\(values.seed)")
        }
        #expect(read > 20)
    }
}

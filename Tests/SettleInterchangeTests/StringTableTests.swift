import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct StringTableTests {
    private func read(_ text: String) throws(FormatError) -> StringTable {
        try StringTable.read(Data(text.utf8)).table
    }

    private func text(_ table: StringTable) throws -> String { String(decoding: try table.data(), as: UTF8.self) }

    private static let file = #"""
        /* Localizable.strings
           Example */

        /* The button */
        "ok" = "D’accord \"\U00e9\"\n";
        // One comment
        // on two lines.

        // Another one.
        cancel = 'Abbrechen';
        "Quit"; "b" /* inside */ = "B" // behind the text
        ;
        "a" = "A"; // belongs to what follows
        /* the end */
        """#

    @Test("A file is read with its order and comments")
    func reading() throws {
        let table = try read(Self.file)
        #expect(table.entries.map(\.key) == ["ok", "cancel", "Quit", "b", "a"])
        #expect(table.entries.map(\.value) == ["D’accord \"é\"\n", "Abbrechen", "Quit", "B", "A"])
        #expect(
            table.entries.map(\.comments) == [
                ["Localizable.strings\n   Example", "The button"], ["One comment\non two lines.", "Another one."], [],
                ["inside", "behind the text"], [],
            ])
        #expect(table.closingComments == ["belongs to what follows", "the end"])
        #expect(table.entry(for: "cancel")?.comment == "One comment\non two lines.\nAnother one.")
        #expect(table["Quit"] == "Quit" && table["quit"] == nil && table.entry(for: "Quit")?.comment == nil)
    }

    @Test("A file is written with its order and comments")
    func writing() throws {
        let expected = #"""
            /* Localizable.strings
               Example */
            /* The button */
            "ok" = "D’accord \"é\"\n";

            /* One comment
            on two lines. */
            /* Another one. */
            "cancel" = "Abbrechen";
            "Quit" = "Quit";

            /* inside */
            /* behind the text */
            "b" = "B";
            "a" = "A";

            /* belongs to what follows */
            /* the end */

            """#
        let table = try read(Self.file)
        #expect(try text(table) == expected)
        #expect(try read(expected) == table)
    }

    @Test("A comment that contains the end of a comment is written in lines")
    func awkwardComments() throws {
        let comments = [
            "a */ b\n\n  c", "*/", "", "*", "/", "// x", "  \t", "*/\r\nx\u{2028}y ", "\u{301}", "*/\u{301}",
        ]
        var table = StringTable([StringTable.Entry(key: "", value: "", comments: comments)])
        table.closingComments = comments
        let kept = ["a */ b\n\n  c", "*/", "", "*", "/", "// x", "", "*/\nx\ny", "\u{301}", "*/\u{301}"]
        #expect(table.closingComments == kept && table.entries[0].comments == kept)
        #expect(try read(try text(table)) == table)
        #expect(
            try text(StringTable([.init(key: "a", value: "b", comments: ["x */\ny"])]))
                == "// x */\n// y\n\"a\" = \"b\";\n")
        var other = table
        other.closingComments[0] += "x"
        #expect(other != table)
    }

    @Test("The last of several entries counts, and the others are listed")
    func duplicates() throws {
        let file = "/* 1 */\na = 1;\nb = 2; a = 3;\n\"é\" = 4; \"e\u{301}\" = 5;\na = 6; b = 7;"
        let (table, form, duplicates) = try StringTable.read(Data(file.utf8))
        #expect(table.entries.map(\.value) == ["4", "5", "6", "7"])
        #expect(table["a"] == "6" && table["b"] == "7" && table["é"] == "4" && table["e\u{301}"] == "5")
        #expect(table.entry(for: "a")?.comments == [])
        #expect(duplicates.map(\.key) == ["a", "b", "a"])
        #expect(duplicates.map(\.line) == [2, 3, 3])
        #expect(form == .oldText)
    }

    @Test("Texts are found, changed, added and removed by key")
    func editing() throws {
        var table = try read("a = 1; b = 2; c = 3;")
        table["b"] = "two"
        table["d"] = "4"
        table["a"] = nil
        table["x"] = nil
        table.update(StringTable.Entry(key: "c", value: "three", comments: [" why "]))
        #expect(table.entries.map(\.key) == ["b", "c", "d"])
        #expect(table["b"] == "two" && table["c"] == "three" && table["d"] == "4" && table["a"] == nil)
        #expect(try text(table) == "\"b\" = \"two\";\n\n/* why */\n\"c\" = \"three\";\n\"d\" = \"4\";\n")
        #expect(StringTable([.init(key: "é", value: "")]) != StringTable([.init(key: "e\u{301}", value: "")]))
    }

    @Test("Other forms are read in the order that they have")
    func forms() throws {
        let xml = """
            <plist version="1.0">
            <dict>
            <key>z</key><string>&lt;</string>
            <key>a</key>
            <string>é</string> <key>b</key> <string/>
            </dict>
            </plist>
            """
        let (table, form, duplicates) = try StringTable.read(Data(xml.utf8))
        #expect(table.entries.map(\.key) == ["z", "a", "b"] && form == .xml && duplicates == [])
        #expect(table["z"] == "<" && table["a"] == "é" && table["b"] == "")
        for form in [PropertyList.Form.xml, .binary] {
            let (again, found, _) = try StringTable.read(try table.data(as: form))
            #expect(again.entries.map(\.key) == ["a", "b", "z"] && again["z"] == "<" && found == form)
        }
        #expect(try read("{/* c */ a = b; /* d */} // e").entries.map(\.comments) == [["c"]])
        #expect(try read("{/* c */ a = b; /* d */} // e").closingComments == ["d", "e"])
        #expect(try read(" // only this").closingComments == ["only this"])
        #expect(try read("") == StringTable())
        let utf16 = "\"é\" = \"ü\";".utf16Bytes(isBigEndian: true)
        #expect(try StringTable.read(Data(utf16)).table["é"] == "ü")
    }

    @Test("What is no file of strings is refused with its place")
    func errors() throws {
        let cases: [(String, String)] = [
            ("\"a\" = \"b\"\n\"c\" = \"d\";", "Line 1, column 10: A semicolon is missing after this value."),
            ("a = b;\nc = (d);", "Line 2, column 1: In a file of strings, each value must be a text."),
            ("{a = b;", "Line 1, column 1: The dictionary of this file has no end."),
            ("{a = b;} c", "Line 1, column 10: There is something after the end of the property list."),
            ("a = b;}", "Line 1, column 7: There is something after the end of the property list."),
            ("(a)", "Line 1, column 1: A key is expected here."),
            ("a = b; /* c", "Line 1, column 8: The comment that starts here has no end."),
            ("<plist><array/></plist>", "A file of strings must be a dictionary."),
            (
                "<plist><dict><key>a.b</key><true/></dict></plist>",
                #"Key “a\.b”: In a file of strings, each value must be a text."#
            ),
            (
                "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
                "Line 1, column 33: The key “a” occurs twice."
            ),
        ]
        for (text, expected) in cases {
            #expect(failure { () throws(FormatError) in _ = try read(text) }?.description == expected, "\(text)")
        }
    }

    @Test("Random tables are read as they were written")
    func random() throws {
        var values = InterchangeValues(random: SeededGenerator())
        for _ in 0..<2_000 {
            func someComments() -> [String] {
                (0..<Int.random(in: 0...2, using: &values.random)).map { _ in values.text() }
            }
            var table = StringTable(
                (0..<Int.random(in: 0...4, using: &values.random)).map { _ in
                    StringTable.Entry(key: values.text(), value: values.text(), comments: someComments())
                })
            table.closingComments = someComments()
            let (read, form, duplicates) = try StringTable.read(try table.data())
            #expect(read == table, "\(values.seed)")
            #expect(duplicates == [] && form == .oldText)
            for entry in table.entries { #expect(read[entry.key]?.utf8.elementsEqual(entry.value.utf8) == true) }
        }
    }
}

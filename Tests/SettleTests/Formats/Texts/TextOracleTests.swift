import Settle
import Testing

/// An oracle that finds everything right proves nothing.
@Suite struct TextOracleTests {
    private static let json = MarkedText(
        "", .json,
        #"""
        // Settings
        {
          "a": 1.0, // one
          // two
          "b": «2→20»,
        «→  "bb": true,
        »  "c": [1, 2],
          "d": { "e": 1e3 } /* d */,

        «  "f": "\u0041", // six
        →»  "g": 7«→,
          "h": 8»
        }

        """#)

    private static let xml = MarkedText(
        "", .propertyListXML,
        #"""
        <?xml version="1.0"?>
        <!-- Settings -->
        <plist version="1.0">
        <dict>
        ⇥<key>a</key>
        ⇥<real>1</real> <!-- one -->
        ⇥<!-- two -->
        ⇥<key>b</key>
        ⇥«<true/>→<false/>»
        «→⇥<key>bb</key>
        ⇥<true/>
        »⇥<key>d</key>
        ⇥<dict><key>e</key><integer>+1</integer></dict>

        «⇥<key>f</key>
        ⇥<string>x</string> <!-- six -->
        →»⇥<key>g</key>
        ⇥<string>&#65;</string>
        </dict>
        </plist>

        """#)

    @Test(
        "Damage to a right JSON file is noticed",
        arguments: [
            // Comments.
            ("  // two\n", ""), (" // one", ""), (" /* d */", ""), ("// two", "// too"),
            ("// one\n  // two", "// two\n  // one"),
            ("7,", "7, // six"), ("// Settings\n{", "{ // Settings"), ("true,", "true, // one"),
            ("} /* d */,", "}, /* d */"),
            ("  // two\n  \"b\": 20,\n  \"bb\": true,\n", "  \"b\": 20,\n  // two\n  \"bb\": true,\n"),
            // Commas.
            ("20,", "20,,"), ("8\n", "8,\n"), ("7,\n", "7\n,"), ("1.0,", "1.0 ,"), ("[1, 2],", "[1, 2]"),
            // Order and places.
            (
                "  \"a\": 1.0, // one\n  // two\n  \"b\": 20,\n",
                "  \"b\": 20,\n  \"a\": 1.0, // one\n  // two\n"
            ),
            ("  \"bb\": true,\n  \"c\": [1, 2],\n", "  \"c\": [1, 2],\n  \"bb\": true,\n"),
            ("  // two\n  \"b\": 20,\n  \"bb\": true,\n", "  \"bb\": true,\n  // two\n  \"b\": 20,\n"),
            (
                "  \"bb\": true,\n  \"c\": [1, 2],\n  \"d\": { \"e\": 1e3 } /* d */,\n\n",
                "  \"c\": [1, 2],\n  \"d\": { \"e\": 1e3 } /* d */,\n  \"bb\": true,\n\n"
            ),
            // White space.
            ("  \"g\"", "    \"g\""), ("  \"bb\"", "\t\"bb\""), ("/,\n\n", "/,\n"),
            ("20,\n", "20,\n\n"),
            ("8\n}\n", "8\n}"), ("8\n}\n", "8}\n"), ("8\n}", "8\n\n}"), ("1.0, //", "1.0,  //"),
            ("\"a\": 1", "\"a\":1"),
            ("{ \"e\"", "{\"e\""), ("true,\n", "true,\r\n"), ("[1, 2],\n", "[1, 2],\r\n"), ("true,\n  ", "true, "),
            // Spellings.
            ("1.0", "1.00"), ("1e3", "1000.0"), ("[1, 2]", "[1,2]"), ("\"c\"", "\"\\u0063\""),
            ("{ \"e\": 1e3 }", "{\"e\":1e3}"),
            // Values.
            ("20", "21"), ("  \"bb\": true,\n", ""), ("\"h\"", "\"i\""), ("7,", "\"7\","), ("7,\n  \"h\": 8", "7"),
            ("7,", "7, \"f\": \"A\","), ("20", "2"), ("}\n", "} }\n"), ("\n{", "\n{{"),
        ])
    func damagedJSON(right: String, wrong: String) throws {
        try check(Self.json, right, wrong)
    }

    @Test(
        "Damage to a right property list is noticed",
        arguments: [
            ("\t<!-- two -->\n", ""), (" <!-- one -->", ""), ("<!-- two -->", "<!-- too -->"),
            ("<false/>\n", "<false/> <!-- six -->\n"), ("<real>1</real>", "<real>1.0</real>"), ("+1", "1"),
            ("&#65;", "A"), ("<key>g</key>", "<key>&#103;</key>"), ("<?xml version=\"1.0\"?>\n", ""),
            ("<dict><key>e", "<dict>\n<key>e"), ("\t<key>g", "  <key>g"), ("\t<key>bb", "\t\t<key>bb"),
            ("</plist>\n", "</plist>"),
            ("</dict>\n\n", "</dict>\n"), ("<true/>\n", "<true/>\n\n"), ("<true/>\n", "<true/>"),
            ("<true/>", "<false/>"),
            ("\t<key>bb</key>\n\t<true/>\n", ""), ("</dict>\n</plist>", "</dict></plist>"),
            (
                "\t<!-- two -->\n\t<key>b</key>\n\t<false/>\n\t<key>bb</key>\n\t<true/>\n",
                "\t<key>bb</key>\n\t<true/>\n\t<!-- two -->\n\t<key>b</key>\n\t<false/>\n"
            ),
        ])
    func damagedXML(right: String, wrong: String) throws {
        try check(Self.xml, right, wrong)
    }

    private func check(_ text: MarkedText, _ right: String, _ wrong: String) throws {
        let after = String(decoding: text.after, as: UTF8.self)
        let tree = try TextDocument(text.after, text.format).tree
        #expect(TextOracle.complaints(text.before, text.after, tree, text.format) == [])
        let damaged = after.replacing(right, with: wrong, maxReplacements: 1)
        #expect(damaged != after)
        #expect(!TextOracle.complaints(text.before, Array(damaged.utf8), tree, text.format).isEmpty, "\(damaged)")
    }
}

import Settle
import Testing

/// JSON with comments and trailing commas, and what is refused in it.
@Suite struct CommentedJSONTests {
    /// Without what only some readers accept.
    private static let strictFormat = FileFormat.strictJSON

    private func failure(of text: [UInt8], _ format: FileFormat = .json) -> FormatError? {
        do {
            _ = try format.decode(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Comments and trailing commas are read",
        arguments: [
            "// x\n{\"a\":[1,2]}", "{\"a\":[1,2]}//", "{\"a\":[1,2]}// x", "{\"a\":[1,2]}\n/**/", "/***/{\"a\":[1,2]}",
            "{//\n\"a\":[1,2]}", "{\"a\"//\n:[1,2]}", "{\"a\"://\n[1,2]}", "{\"a\":[//\n1,2]}", "{\"a\":[1//\n,2]}",
            "{\"a\":[1,//\n2]}", "{\"a\":[1,2//\n]}", "{\"a\":[1,2]//\n}",
            "{/*\n\n*/\"a\"/* , */:/* : */[/* ] */1/**/,2]/* } */}",
            "{\"a\":[1,2,]}", "{\"a\":[1,2],}", "{\"a\":[1,2 , ] , }", "{\"a\":[1,2,/* x */]/* y */,// z\n}",
            "\u{FEFF}// x\n{\"a\":[1,2]}", "{\"a\":[1,2] // x\r\n}", "{\"a\":[1/* / * // */,2]}",
            "{\"a\":[1,2]} /* \" */ // '",
        ])
    func accepted(text: String) throws {
        let tree = SettingTree(["a": .array([.integer(1), .integer(2)])])
        #expect(try FileFormat.json.decode(Array(text.utf8)) == tree)
        #expect(try TextDocument(Array(text.utf8), .json).tree == tree)
    }

    @Test("What looks like a comment in a string is part of it")
    func strings() throws {
        let tree = try FileFormat.json.decode(Array(#"{"//": "/* x", "/*": "*/", "a": "\"// x"} // y"#.utf8))
        #expect(tree.root == ["//": .string("/* x"), "/*": .string("*/"), "a": .string("\"// x")])
    }

    @Test(
        "What is wrong is refused with its line and column",
        arguments: [
            // Comments without an end, and what is none.
            ("{\n  \"a\": 1 /* x\n}\n", 2, 10), ("/*", 1, 1), ("{} /*/", 1, 4), ("{\n\"ä\": 1, /*", 2, 9),
            ("{\"a\": [1 /* ]}", 1, 10),
            ("{\"a\": /* x", 1, 7), ("{\"a\" /* x * /", 1, 6), ("{} /* x\n/* y", 1, 4), ("{} //\n/*", 2, 1),
            ("{/", 1, 2), ("{\"a\": 1 / 2}", 1, 9), ("{\"a\": /}", 1, 7), ("/", 1, 1), ("{} /", 1, 4),
            ("{} / / x", 1, 4),
            ("{\"a\": [/]}", 1, 8), ("{\"a\": [1,/]}", 1, 10), ("{\"a\"/:1}", 1, 5), ("{\"a\":1,/}", 1, 8),
            ("# x\n{}", 1, 1), ("{\n  # x\n}", 2, 3), ("{\"a\": 1 # x\n}", 1, 9), ("{\"a\": 1, # x\n}", 1, 10),
            ("{} # x", 1, 4),
            ("{\"a\": # x\n1}", 1, 7), ("<!-- x -->\n{}", 1, 1), ("{\"a\": 1; x\n}", 1, 8), ("-- x\n{}", 1, 1),
            // A block comment ends at its first end.
            ("/* /* */ */ {}", 1, 10), ("{\"a\": /* /* */ */ 1}", 1, 16), ("{} */", 1, 4), ("{*/}", 1, 2),
            // Nothing but comments.
            ("// x", 1, 5), ("// x\n", 2, 1), ("/* x */", 1, 8), ("/* x\n */\n\n// y", 4, 5),
            // A comment hides the end.
            ("{ // }", 1, 7), ("{ // }\n", 2, 1), ("{\"a\": 1 // x", 1, 13), ("{\"a\": [1, // ]}\n", 2, 1),
            ("{\"a\" // : 1}\n", 2, 1),
            ("{\"a\": // 1\n}", 2, 1),
            // Commas.
            ("{,}", 1, 2), ("{,\"a\": 1}", 1, 2), ("{\"a\": 1,, \"b\": 2}", 1, 9), ("{\"a\": 1,,}", 1, 9),
            ("{\"a\": 1, /**/ ,}", 1, 15),
            ("{\"a\": [,]}", 1, 8), ("{\"a\": [,1]}", 1, 8), ("{\"a\": [1,,]}", 1, 10), ("{\"a\": [1,,2]}", 1, 10),
            ("{\"a\": ,}", 1, 7),
            ("{\"a\": 1},", 1, 9), ("{\"a\": 1,", 1, 9), ("{\"a\": 1, // x\n", 2, 1), ("{\"a\": 1 \"b\": 2}", 1, 9),
            ("{\"a\": 1\n// x\n\"b\": 2}", 3, 1), ("{\"a\": [1 // x\n2]}", 2, 1), ("{\"a\", \"b\"}", 1, 5),
            ("{\"a\",}", 1, 5),
            // Spellings of JSON5.
            ("{'a': 1}", 1, 2), ("{\"a\": 'x'}", 1, 7), ("{a: 1}", 1, 2), ("{\"a\": 1, b: 2}", 1, 10),
            ("{$a: 1}", 1, 2),
            ("{\"a\": 0x10}", 1, 8), ("{\"a\": -0xF}", 1, 9), ("{\"a\": +1}", 1, 7), ("{\"a\": .5}", 1, 7),
            ("{\"a\": -.5}", 1, 8),
            ("{\"a\": 5.}", 1, 9), ("{\"a\": 5.e1}", 1, 9), ("{\"a\": NaN}", 1, 7), ("{\"a\": Infinity}", 1, 7),
            ("{\"a\": -Infinity}", 1, 8), ("{\"a\": undefined}", 1, 7), ("{\"a\": True}", 1, 7),
            ("{\"a\": 1_000}", 1, 8),
            ("{\"a\": 1n}", 1, 8), ("{\"a\": `x`}", 1, 7), ("{\"a\": \"x\\\ny\"}", 1, 9), ("{\"a\": \"\\x41\"}", 1, 8),
            ("{\"a\":\u{A0}1}", 1, 6), ("{\"a\":\u{0C}1}", 1, 6), ("{\"a\":\u{2028}1}", 1, 6),
            ("{\"a\": 1}\u{FEFF}", 1, 9),
            ("{\"a\": (1)}", 1, 7), ("{\"a\" = 1}", 1, 6), ("{\"a\": 1}\u{0}", 1, 9), ("\u{0}{}", 1, 1),
        ])
    func refused(text: String, line: Int, column: Int) {
        let error = failure(of: Array(text.utf8))
        #expect(error?.place == .text(line: line, column: column), "\(text): \(error?.description ?? "")")
        #expect(error?.rule == .syntax)
    }

    @Test(
        "A comment that is not in UTF-8 is refused where it begins",
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80],
        ])
    func invalidUTF8(bytes: [UInt8]) {
        let texts = [("{\n ", "// é ", "\n}"), ("{\n ", "/* é ", "*/}"), ("{}\n ", "// ", ""), ("\n ", "/*", "*/ {}")]
        for (before, comment, after) in texts {
            let error = failure(of: Array((before + comment).utf8) + bytes + Array(after.utf8))
            #expect(error?.rule == .encoding, "\(before + comment)")
            #expect(error?.place == .text(line: 2, column: 2), "\(before + comment)")
        }
    }

    /// After a crash, a file may have a block of zeros. In a comment it would hide what was there.
    @Test("A NUL in a comment is refused where it is", arguments: ["{ // é", "{ /* "])
    func zeros(start: String) {
        let error = failure(of: Array((start + "\0\0\0\0\": 1 */\n\"b\": 2}").utf8))
        #expect(error?.rule == .syntax)
        #expect(error?.place == .text(line: 1, column: start.unicodeScalars.count + 1))
    }

    @Test("Long and many comments are read in a short time, and stay", .timeLimit(.minutes(5)))
    func longComments() throws {
        let long = String(repeating: "x/* ", count: 1 << 18)
        let many = String(repeating: "// x\n/* y */ ", count: 50_000)
        let open = String(repeating: "/* ", count: 300_000)
        for comments in ["//" + long + "\n", "/*" + long + "*/", many, open + "*/"] {
            let text = Array(("{" + comments + "\"a\": 1," + comments + "}" + comments).utf8)
            let tree = try FileFormat.json.decode(text)
            #expect(tree.root == ["a": .integer(1)])
            // Not within the expectations, which would show all of it.
            let isSame = try rewritten(text, tree, .json) == text
            let changed = Array(("{" + comments + "\"a\": 2," + comments + "}" + comments).utf8)
            let isRight = try rewritten(text, SettingTree(["a": .integer(2)]), .json) == changed
            #expect(isSame && isRight)
        }
        #expect(failure(of: Array(("{" + open).utf8))?.place == .text(line: 1, column: 2))
    }

    @Test(
        "An error in a comment quotes nothing of it", arguments: ["{ /* hunter2", "{} hunter2", "{ // x\n hunter2 }"])
    func secrets(text: String) {
        #expect(failure(of: Array(text.utf8))?.description.contains("hunter2") == false)
    }

    @Test(
        "Strict JSON has neither comments nor trailing commas",
        arguments: [
            ("// x\n{}", 1, 1), ("{} // x", 1, 4), ("{ /* x */ }", 1, 3), ("{\"a\" /* x */: 1}", 1, 6),
            ("{\"a\": // x\n1}", 1, 7),
            ("{\"a\": 1 /* x */}", 1, 9), ("{\"a\": 1, // x\n \"b\": 2}", 1, 10), ("{\"a\": [ /* x */ ]}", 1, 9),
            ("{\"a\": [1 /* x */]}", 1, 10), ("{\n  \"ä\": [1, // x\n 2]}", 2, 12), ("/*", 1, 1),
            // The comma, not what follows it.
            ("{\"a\": 1,}", 1, 8), ("{\"a\": [1, ]}", 1, 9), ("{\n  \"a\": 1\n  ,\n}", 3, 3),
            ("{\"a\": {\"b\": 1 , } }", 1, 15),
        ])
    func strict(text: String, line: Int, column: Int) {
        let error = failure(of: Array(text.utf8), Self.strictFormat)
        #expect(error?.rule == .syntax)
        #expect(error?.place == .text(line: line, column: column), "\(text): \(error?.description ?? "")")
    }

    @Test("Strict JSON is read and written as before")
    func strictFiles() throws {
        let text = Array("{\n  \"a\": \"// x\"\n}\n".utf8)
        #expect(try Self.strictFormat.decode(text).root == ["a": .string("// x")])
        #expect(try Self.strictFormat.encode(SettingTree(["a": .string("// x")])) == text)
    }
}

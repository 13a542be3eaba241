import Testing

@testable import Settle

@Suite struct EnvironmentFileTests {
    private func read(_ text: String) throws -> [String: String] { try read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8]) throws -> [String: String] {
        var found: [String: String] = [:]
        for case (let name, .string(let text)) in try EnvironmentFile(bytes).tree.root { found[name] = text }
        return found
    }

    @Test(
        "The value of a line",
        arguments: [
            ("A=b", "b"), ("A=", ""), ("A=\n", ""), ("  A = b  ", "b"), ("\tA\t=\tb\t\r\n", "b"), ("A=b c", "b c"),
            ("export A=b", "b"), ("export\t A=b", "b"), ("  export  A = b", "b"), ("A==", "="), ("A=b=c", "b=c"),
            ("A=b # c", "b"), ("A=b\t# c", "b"), ("A=b#c", "b#c"), ("A=#c", "#c"), ("A= # c", ""), ("A=b # c # d", "b"),
            ("A=it's", "it's"), ("A=b\"c\"", "b\"c\""), ("A=b\\nc", "b\\nc"),
            ("A=$B ${C} `d` $(e)", "$B ${C} `d` $(e)"),
            ("A='b'", "b"), ("A=''", ""), ("A=' b # c '", " b # c "), ("A='b\\n\\'", "b\\n\\"), ("A='\"'", "\""),
            ("A='$B'", "$B"), ("A= 'b' # c", "b"), ("A='b'\t", "b"), ("A='b'\r\n", "b"),
            ("A=\"b\"", "b"), ("A=\"\"", ""), ("A=\" b # c \"", " b # c "), ("A=\"'\"", "'"), ("A=\"b\" # \"c\"", "b"),
            ("A=\"\\n\\r\\t\\\"\\\\\\$\"", "\n\r\t\"\\$"), ("A=\"$B ${C} \\$D\"", "$B ${C} $D"),
            ("A=\"\\x\\'\\ \"", "\\x\\'\\ "), ("A=\"\\\\n\"", "\\n"), ("A=é\u{301}", "é\u{301}"),
            ("A=\"b\nc\"", "b\nc"), ("A='b\n\n c'", "b\n\n c"), ("A=\"b\r\nc\\r\\n\"\r\n", "b\nc\r\n"),
            ("A='b\rc'", "b\rc"),
            ("A=\"# b\n# c\"", "# b\n# c"), ("A=\"b\\\nc\"", "b\\\nc"), ("A=\u{FEFF}b", "\u{FEFF}b"),
        ])
    func value(line: String, value: String) throws {
        let found = try read(line)
        #expect(found.count == 1)
        #expect(found["A"].map { Array($0.utf8) } == Array(value.utf8))
    }

    @Test("Names of any program are read") func names() throws {
        let file = "_=1\nlower=2\nA.b-c=3\nÜ_1=4\nexport=5\nA_1=6\nexport export=7\nexported=8\n"
        #expect(
            try read(file) == [
                "_": "1", "lower": "2", "A.b-c": "3", "Ü_1": "4", "export": "7", "A_1": "6", "exported": "8",
            ])
    }

    @Test("Empty lines, comments, line ends of both kinds and a byte order mark", arguments: ["\n", "\r\n"])
    func trivia(lineEnd: String) throws {
        let lines = ["\u{FEFF}# first=1", "", "A=1", " \t", "\t# second", "B='2", "3'", "#", "C=4 "]
        for end in ["", lineEnd, lineEnd + lineEnd] {
            let bytes = Array((lines.joined(separator: lineEnd) + end).utf8)
            #expect(try read(bytes) == ["A": "1", "B": "2\n3", "C": "4"])
            let places = try EnvironmentFile(bytes).lines
            #expect(["A", "B", "C", "D"].map { places.line(of: SettingKey(name: $0)) } == [3, 6, 9, nil])
        }
        for empty in ["", "\u{FEFF}", lineEnd, "#", "# \(lineEnd)"] { #expect(try read(empty) == [:]) }
    }

    @Test("Of two lines with one name, the last counts, and is its place") func twice() throws {
        let file = try EnvironmentFile(Array("A=1\nB=2\nA=3\n".utf8))
        #expect(file.tree["A"] == .string("3") && file.lines.line(of: "A") == 3)
    }

    @Test(
        "A line that can't be read is told with its place and the rule, and without what it has",
        arguments: [
            ("A=1\nhunter2", "Line 2, column 8: The line has no “=”."),
            ("A=1\n\nexport hunter2\n", "Line 3, column 15: The line has no “=”."),
            ("=hunter2", "Line 1, column 1: There is no name before the “=”."),
            (" export =hunter2", "Line 1, column 9: There is no name before the “=”."),
            ("2hunter=x", "Line 1, column 1: A “=” is missing after the name. A name has letters"),
            ("hunter2 x=1", "Line 1, column 9: A “=” is missing after the name"),
            ("'hunter2'=1", "Line 1, column 1: A “=” is missing after the name"),
            ("A:hunter2=1", "Line 1, column 2: A “=” is missing after the name"),
            (
                "A=1\nB='hunter2\nC=3\n",
                "Line 2, column 3: The quotation mark that begins the value here is not closed."
            ),
            ("A=\"hunter2\\\"\nB=3\n", "Line 1, column 3: The quotation mark that begins"),
            (
                "A=1\nB=\"hunter2\nC=\"3\"\n",
                "Line 3, column 4: After the quotation mark that ends the value of line 2,"
            ),
            ("A='it''s hunter2'", "Line 1, column 7: After the quotation mark that ends the value of line 1, only a"),
            ("A='b'# hunter2", "Line 1, column 6: After the quotation mark"),
            ("A=hunter2\rB=1\r", "Line 1, column 10: A line must end with LF or CRLF, not with CR alone."),
            ("A='b'\rB=1", "Line 1, column 6: After the quotation mark"),
            ("A=1\nB=hunter2\0", "Line 2, column 10: A variable can't have a zero byte."),
            ("# \0", "Line 1, column 3: A variable can't have a zero byte."),
        ])
    func errors(text: String, sentence: String) throws {
        let error = #expect(throws: FormatError.self) { try EnvironmentFile(Array(text.utf8)) }
        let description = try #require(error).description
        #expect(description.hasPrefix(sentence), "\(description)")
        #expect(!description.contains("hunter"))
    }

    @Test("What is not in UTF-8 is told with its line", arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func encoding(bytes: [UInt8]) throws {
        let error = #expect(throws: FormatError.self) { try EnvironmentFile(Array("A=1\n\nB=".utf8) + bytes + [0x0A]) }
        #expect(error?.rule == .encoding && error?.description == "Line 3, column 1: The line is not in UTF-8.")
        // What an editor for Windows may save.
        let wide = Array("\u{FEFF}A=1".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(throws: FormatError.self) { try EnvironmentFile(wide) }
    }

    @Test("A file of the largest size is read in time that grows with its size") func large() throws {
        let size = FileDomainSource.textSizeLimit
        let many = (0..<size / 16).map { "NAME_\($0 + 10_000)=\(1000 + $0 % 9000)\n" }.joined()
        #expect(try read(many).count == size / 16)
        for filling in [" ", "\t", "#", "\\", "$", "\r", "\n", "'"] {
            let text = String(repeating: filling, count: size / 8)
            _ = try? read("A=" + text)
            _ = try? read("A=\"" + text)
            _ = try? read(text)
        }
    }

    @Test("A broken file gives an error, whatever is cut off it or put into it") func mutations() throws {
        let file = Array("\u{FEFF}# c\r\nexport A='x\ny' # z\nB=\"\\n\\q é\"\nC= d # e\n".utf8)
        let hostile: [UInt8] = [0, 0x0A, 0x0D, 0x20, 0x22, 0x23, 0x27, 0x3D, 0x5C, 0xC3, 0xFF]
        for index in file.indices {
            _ = try? read(Array(file[..<index]))
            _ = try? read(Array(file[index...]))
            for byte in hostile {
                var changed = file
                changed[index] = byte
                _ = try? read(changed)
                changed.insert(byte, at: index)
                _ = try? read(changed)
            }
        }
    }
}

import Settle
import Testing

@Suite struct KeyLinesTests {
    private func lines(_ text: String) throws -> KeyLines {
        try #require(FileFormat.keyLines(in: Array(text.utf8)))
    }

    @Test("In JSON a key has the line of its own name, at every level") func json() throws {
        let lines = try lines(
            """
            {
              "name": "not \\"name\\": this", "second": [1, {"name": 2},
                "}"],
              "outer": {
                "name": -1.5e3,
                "outer":
                  { "name": null }
              },
              "a.b": true,
              "\\u0061\\u00e9": {}, "": 1,
              "last": "\\\\"
            }

            """)
        let expected: [SettingKey: Int?] = [
            "name": 2, "second": 2, "outer": 4, "outer.name": 5, "outer.outer": 6, "outer.outer.name": 7,
            .path("a.b"): 9, "aé": 10, .path(""): 10, "last": 11, "a.b": nil, "second.name": nil, "missing": nil,
        ]
        for (key, line) in expected { #expect(lines.line(of: key) == line, "\(key)") }
    }

    @Test("In an XML property list too, whatever stands between the keys") func xml() throws {
        let lines = try lines(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
              <!-- <key>name</key> -->
              <key>name</key>
              <string>two
            lines &amp; <![CDATA[<key>x</key>]]></string>
              <key>a&amp;b</key><array><dict><key>inner</key><true/></dict></array>
              <key>outer</key>
              <dict><key>name</key> <integer>1</integer>
                <key>empty</key> <dict/>
              </dict>
              <key>last</key> <false/>
            </dict>
            </plist>
            """)
        let expected: [SettingKey: Int?] = [
            "name": 6, "a&b": 9, "outer": 10, "outer.name": 11, "outer.empty": 12, "last": 14, "inner": nil, "x": nil,
        ]
        for (key, line) in expected { #expect(lines.line(of: key) == line, "\(key)") }
    }

    @Test(
        "What is no settings file has no lines, and ends the search",
        arguments: [
            "", "{", "{\"a\": ", "{\"a\" 1}", "<plist><dict><key>", "<plist>", "bplist00", "nonsense, }", "[[[[",
        ])
    func damaged(text: String) {
        #expect(FileFormat.keyLines(in: Array(text.utf8))?.line(of: "a") == nil)
    }

    @Test("Nesting that no file may have ends the search") func deep() {
        for text in [String(repeating: "[", count: 1_000_000), String(repeating: "{\"a\":", count: 1_000_000)] {
            #expect(FileFormat.keyLines(in: Array(text.utf8)) == nil)
        }
    }

    @Test(
        "Every key of a file that was written is found", arguments: [FileFormat.json, .propertyListXML])
    func written(format: FileFormat) throws {
        var tree = SettingTree()
        for number in 0..<1_000 { tree["group\(number % 7).key\(number)"] = .string("line\n\(number)") }
        let bytes = try format.encode(tree)
        let lines = try #require(FileFormat.keyLines(in: bytes))
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for number in 0..<1_000 {
            let line = try #require(lines.line(of: SettingKey("group\(number % 7).key\(number)")!))
            #expect(text[line - 1].contains("key\(number)\"") || text[line - 1].contains("<key>key\(number)<"))
        }
    }
}

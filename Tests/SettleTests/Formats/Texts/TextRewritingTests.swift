import Foundation
import Testing

@testable import Settle

/// Saves values into the text of a file: what needs no table of texts.
@Suite struct TextRewritingTests {
    private func file(_ value: String, _ format: FileFormat) -> [UInt8] {
        Array((format == .json ? "{ \"a\":\(value) }" : "<plist><dict><key>a</key> \(value)</dict></plist>").utf8)
    }

    @Test(
        "What the format spells alike keeps its spelling",
        arguments: [
            (
                FileFormat.json, #""2001-01-01T00:00:00\u005a""#,
                SettingValue.date(Date(timeIntervalSinceReferenceDate: 0))
            ),
            (.json, #""2001-01-01T00:00:00.5Z""#, .date(Date(timeIntervalSinceReferenceDate: 0.5))),
            (.json, #""\u0041QID""#, .data(Data([1, 2, 3]))), (.json, "1.50", .real(1.5)), (.json, "1E+3", .real(1000)),
            (.json, "-0", .real(-0.0)), (.json, "0e5", .real(0)), (.json, #""\u00e9\/""#, .string("é/")),
            (.json, "[ 1.50,\"\\u0041\" , ]", .array([.real(1.5), .string("A")])),
            (.json, "[ { \"b\" : \"AQID\" } ]", .array([.dictionary(["b": .data(Data([1, 2, 3]))])])),
            (.propertyListXML, "<string>$null</string>", .null),
            (.propertyListXML, "<integer> +0x1F</integer>", .integer(31)),
            (.propertyListXML, "<real>1</real>", .real(1)), (.propertyListXML, "<real>NaN</real>", .real(.nan)),
            (.propertyListXML, "<real>-0</real>", .real(-0.0)),
            (
                .propertyListXML, "<string>$date 2001-01-01T02:00:00.50+02:00</string>",
                .date(Date(timeIntervalSinceReferenceDate: 0.5))
            ),
            (.propertyListXML, "<data>\nAQ\nID\n</data>", .data(Data([1, 2, 3]))),
            (.propertyListXML, "<string><![CDATA[<]]>&#62;</string>", .string("<>")),
            (.propertyListXML, "<true ></true >", .bool(true)), (.propertyListXML, "<array> </array>", .array([])),
            (.propertyListXML, "<array> <real>1</real> </array>", .array([.real(1)])),
            (.propertyListXML, "<dict > </dict >", .dictionary([:])),
            (.propertyListXML, "<string></string>", .string("")),
            (.propertyListXML, "<integer>0099999999999999999999</integer>", .number("99999999999999999999")),
        ])
    func alike(format: FileFormat, spelling: String, value: SettingValue) throws {
        let text = file(spelling, format)
        #expect(try rewritten(text, SettingTree(["a": value]), format) == text)
    }

    @Test(
        "What the format spells otherwise is written, also if it is equal",
        arguments: [
            (FileFormat.json, "1", SettingValue.real(1), "1.0"), (.json, "1.0", .integer(1), "1"),
            (.json, "0.0", .real(-0.0), "-0.0"),
            (.json, "-0.0", .real(0), "0.0"), (.json, "\"é\"", .string("e\u{301}"), "\"e\u{301}\""),
            (.json, "[\"é\"]", .array([.string("e\u{301}")]), "[\"e\u{301}\"]"),
            (.json, "null", .string("null"), "\"null\""),
            (.propertyListXML, "<integer>1</integer>", .real(1), "<real>1.0</real>"),
            (.propertyListXML, "<real>0</real>", .real(-0.0), "<real>-0.0</real>"),
            (.propertyListXML, "<string>é</string>", .string("e\u{301}"), "<string>e\u{301}</string>"),
            (.propertyListXML, "<string>$null</string>", .string("$null"), "<string>$$null</string>"),
            (.propertyListXML, "<string>AQID</string>", .data(Data([1, 2, 3])), "<data>AQID</data>"),
        ])
    func unlike(format: FileFormat, spelling: String, value: SettingValue, expected: String) throws {
        let result = try rewritten(file(spelling, format), SettingTree(["a": value]), format)
        #expect(result == file(expected, format), "\(String(decoding: result, as: UTF8.self))")
    }

    @Test("A value that the format can't represent is refused with its key") func unsupported() {
        let json = Array("{ \"a\": { \"b.c\": 1 } } // x".utf8)
        let list = Array("<plist><dict><key>a</key><dict/></dict></plist>".utf8)
        let cases: [([UInt8], FileFormat, SettingValue, FormatError.Rule)] = [
            (json, .json, .real(.infinity), .unsupportedValue), (json, .json, .number("x"), .unsupportedValue),
            (list, .propertyListXML, .number("1e400"), .unsupportedValue), (json, .json, nested(130), .limit),
        ]
        for (text, format, value, rule) in cases {
            let tree = SettingTree(["a": .dictionary(["b.c": .array([value])])])
            do {
                _ = try rewritten(text, tree, format)
                Issue.record("\(rule) is not refused")
            } catch let error as FormatError {
                #expect(error.rule == rule)
                guard case .key(let key) = error.place else {
                    Issue.record("\(error.place) is no key")
                    continue
                }
                #expect(key.hasPrefix(#"a.b\.c.0"#))
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    private func nested(_ depth: Int) -> SettingValue {
        (0..<depth).reduce(SettingValue.integer(1)) { value, _ in .array([value]) }
    }

    @Test("A binary property list is written as ever") func binary() throws {
        let old = try FileFormat.propertyListBinary.encode(SettingTree(["a": .integer(1)]))
        let tree = SettingTree(["b": .integer(2)])
        #expect(try rewritten(old, tree, .propertyListBinary) == FileFormat.propertyListBinary.encode(tree))
    }

    @Test(
        "A value is changed at its own place, whatever else has its name",
        arguments: [
            #"{"name": 1, "b": {"name": 1}}"#, #"{"b": {"name": 1}, "name": 1}"#, #"{"x": "name", "name": 1}"#,
            #"{"x": 5 /* "name": 1 */, "name": 1}"#, #"{"name" /* 2 */ : /* 3 */ 1}"#,
            #"{"x": {"name": 1}, "n\u0061me": 1}"#, #"{"x": {"name": 1, "y": "\\u"}, "n\u0061me": 1}"#,
            #"{"x": "\"name\": 1", "name": 1}"#, #"{"x": {"name.b": 1}, "name": 1 // "name"\#n}"#,
        ], ["name", "n.me", "n,e"])
    func namesakes(text: String, name: String) throws {
        let text = Array(text.replacing("name", with: name).utf8)
        let key = SettingKey(name: name)
        var tree = try read(text, .json)
        for value in [SettingValue.integer(2), .string("x"), .array([.bool(true)]), .dictionary([:])] {
            tree[key] = value
            let result = try rewritten(text, tree, .json, changing: [key])
            #expect(try read(result, .json) == tree, "\(String(decoding: result, as: UTF8.self))")
            #expect(try result == rewritten(text, tree, .json))
        }
    }

    @Test(
        "No change is lost in a comment that a carriage return alone ends",
        arguments: [
            "{\"b\": 1 // x\r}", "{ \"b\": { \"c\": 1 // x\r} }", "{\r  \"b\": 1, // x\r  \"c\": 2 // y\r}\r",
            "{\n  \"b\": 1, // x\r  \"c\": 2 // y\r}", "{ // x\r}", "{\"b\": 1, // x\r\r\n}",
        ])
    func carriageReturns(text: String) throws {
        let (text, tree) = (Array(text.utf8), try read(Array(text.utf8), .json))
        for key: SettingKey in ["a", "bb", "d", "b.a", "b.d"] {
            var changed = tree
            changed[key] = .integer(3)
            let result = try rewritten(text, changed, .json)
            #expect(try read(result, .json) == changed, "\(String(decoding: result, as: UTF8.self).debugDescription)")
        }
        for key in tree.root.keys {
            var changed = tree
            changed.root[key] = nil
            let result = try rewritten(text, changed, .json)
            #expect(try read(result, .json) == changed, "\(String(decoding: result, as: UTF8.self).debugDescription)")
        }
    }

    @Test("A new entry does not take the place of one of the same name elsewhere") func newNamesake() throws {
        let text = Array(#"{"b": {"name": 1}}"#.utf8)
        var tree = try read(text, .json)
        tree["name"] = .integer(2)
        #expect(try read(rewritten(text, tree, .json, changing: ["name"]), .json) == tree)
        // A character that Unicode takes for a K is another name.
        let kelvins = Array("{\"x\": {\"K\": 1}, \"\u{212A}\": 1}".utf8)
        tree = try read(kelvins, .json)
        tree["K"] = .integer(2)
        #expect(try read(rewritten(kelvins, tree, .json, changing: ["K"]), .json) == tree)
    }

    @Test("A value changes on the last level that is allowed") func depth() throws {
        let text = String(repeating: "{ \"a\": ", count: 128) + "1" + String(repeating: " }", count: 128)
        var tree = SettingTree(["a": .integer(2)])
        for _ in 1..<128 { tree = SettingTree(["a": .dictionary(tree.root)]) }
        #expect(try rewritten(Array(text.utf8), tree, .json) == Array(text.replacing("1", with: "2").utf8))
    }

    @Test("Large files with many changes take a short time", .timeLimit(.minutes(5)), arguments: [true, false])
    func growth(isSorted: Bool) throws {
        let count = 20_000
        var (before, after, tree) = ("// Settings\n{\n", "// Settings\n{\n", SettingTree())
        for number in 0..<count {
            let key = "k\(isSorted ? 100_000 + number : 900_000 - number)"
            let line = "  // \(number)\n  \"\(key)\": 1.0"
            // One of four goes, one changes, and two stay; the last one stays.
            let isGone = number.isMultiple(of: 4), isChanged = number % 4 == 1
            let comma = number == count - 1 ? "" : ","
            before += line + "\(comma) // same line \(number)\n"
            after +=
                isGone
                ? "  // \(number)\n" : line.dropLast(3) + "\(isChanged ? "2" : "1.0")\(comma) // same line \(number)\n"
            if !isGone { tree.root[key] = isChanged ? .integer(2) : .real(1) }
        }
        let result = try rewritten(Array((before + "}\n").utf8), tree, .json)
        // Not within the expectation, which would show both.
        let isRight = result == Array((after + "}\n").utf8)
        #expect(isRight)
    }

    @Test("A single value is found in a file with comments, or not at all", arguments: JSONTexts.all)
    func search(text: MarkedText) throws {
        let document = try TextDocument(text.before, .json)
        var search = JSONSearch(text.before)
        for entry in document.root.entries where !entry.name.isEmpty && !entry.name.contains("\\") {
            let found = search.scalar(at: entry.name)
            switch entry.value.value {
            case .array, .dictionary: #expect(found == nil, "\(entry.name)")
            default:
                // Others are left to the storage.
                let isLeft = found == nil && text.before.first != UInt8(ascii: "{")
                #expect(isLeft || found == entry.value.value, "\(entry.name)")
            }
        }
        #expect(search.scalar(at: "none") == nil)
    }

    @Test("Comments don't count as keys, and their lines count as lines") func keyLines() throws {
        let text =
            "// 1\n{ /* \"c\": 2\n3 */ \"a\": 1, // \"b\": 3\n// \"b\": 4\n\"b\": { /*\n6 */ \"c\": [ // \"d\"\n ], }, }"
        let lines = try #require(FileFormat.keyLines(in: Array(text.utf8)))
        #expect(lines.line(of: "a") == 3)
        #expect(lines.line(of: "b") == 5)
        #expect(lines.line(of: "b.c") == 6)
        #expect(lines.line(of: "c") == nil)
    }
}

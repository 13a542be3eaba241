import SettleTesting
import Testing

@testable import Settle

/// Most entries of a large file are passed by without being read. They must stand where reading finds them.
@Suite(.timeLimit(.minutes(5))) struct DictionarySpansTests {
    private static let names = [
        "", "a", "\\\"", "é", "1234567", "12345678", "123456789", "a\\\\", "\\u00e9", "x/*", "quite a long name",
    ]
    private static let values = [
        "1", "-2.5e3", "true", "false", "null", "\"\"", "\"/\"", "\"a\\\"b\"", "\"seven..\"", "\"eight...\"",
        "\"\\\\\"", "[]",
        "[1, \"]\"]", "{}", "{\"a\": {\"b\": 1}}", "\"a text of some length, with } and ,\"",
    ]
    private static let spaces = ["", " ", "\n  ", "\r\n\t", " /* , */ ", "// }\n"]

    /// - Returns: The text of an object, with what stands in it.
    private static func text(_ random: inout SeededGenerator) -> (
        text: String, entries: [(name: String, value: String)]
    ) {
        var entries: [(name: String, value: String)] = []
        for index in 0..<Int.random(in: 1...40, using: &random) {
            entries.append((names.randomElement(using: &random)! + "\(index)", values.randomElement(using: &random)!))
        }
        // Most texts have simple entries one after another.
        let isMixed = Int.random(in: 0..<4, using: &random) == 0
        func space() -> String {
            isMixed ? spaces.randomElement(using: &random)! : spaces.prefix(4).randomElement(using: &random)!
        }
        let spelled = entries.map { "\"\($0.name)\"" + space() + ":" + space() + $0.value + space() }
        let end = Bool.random(using: &random) ? "," + space() + "}" : "}"
        return ("{" + space() + spelled.joined(separator: "," + space()) + end, entries)
    }

    @Test("All entries are found where they are") func allEntriesFound() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<3_000 {
            let (text, entries) = Self.text(&random)
            var reader = JSONReader(Array(text.utf8), .commented)
            let spans = try #require(try reader.dictionary(at: 0))
            let found = spans.entries.map { entry in
                (
                    name: String(decoding: reader.bytes[entry.key], as: UTF8.self),
                    value: String(decoding: reader.bytes[entry.value], as: UTF8.self)
                )
            }
            try #require(found.map(\.name) == entries.map { "\"\($0.name)\"" }, "\(text)")
            try #require(found.map(\.value) == entries.map(\.value), "\(text)")
            try #require(spans.entries.map(\.isPlain) == entries.map { !$0.name.contains("\\") }, "\(text)")
        }
    }

    @Test("Whatever is cut off, nothing behind the end is read") func cutOffNothing() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<200 {
            let bytes = Array(Self.text(&random).text.utf8)
            for count in bytes.indices {
                // Without a byte to spare, so that the sanitizer notices one that is read.
                var reader = JSONReader(Array(bytes[..<count]), .commented)
                #expect(throws: FormatError.self) {
                    if try reader.dictionary(at: 0) == nil { throw reader.failure("") }
                }
            }
        }
    }

    @Test("A name is found among many that are like it") func nameFoundAmong() throws {
        let names = (0..<2_000).map { "\($0)" } + (0..<2_000).map { "name.of.a.setting.\($0)" }
        let text = "{" + names.map { "\"\($0)\": 1" }.joined(separator: ",\n") + "}"
        var tree = SettingTree()
        for name in names { tree[SettingKey(name: name)] = .integer(1) }
        var random = SeededGenerator(seed: 13)
        for _ in 0..<50 {
            let name = names.randomElement(using: &random)!
            tree[SettingKey(name: name)] = .integer(2)
            let changed = try rewritten(Array(text.utf8), tree, .json, changing: [SettingKey(name: name)])
            #expect(try JSONFormat().decode(changed) == tree, "\(name)")
            tree[SettingKey(name: name)] = .integer(1)
        }
    }
}

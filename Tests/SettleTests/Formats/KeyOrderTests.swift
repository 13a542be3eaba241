import SettleTesting
import Testing

@testable import Settle

/// Large dictionaries are sorted otherwise than small ones.
@Suite(.timeLimit(.minutes(10))) struct KeyOrderTests {
    /// Names that share prefixes, some of which end where others have zeros.
    private static let prefixes = [
        "", "a", "setting_of_the_a", "setting_of_the_b_that_is_long", "été", "\u{FFFD}", "😀", "\0", "\0\0\0\0\0\0\0",
        "zeros\0\0\0\0\0\0\0\0",
    ]

    private static func names(_ count: Int, _ random: inout SeededGenerator) -> Set<Name> {
        let prefixes = prefixes.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))
        let alphabets = [["0", "1"], ["\0"], ["a", "\0", "é", "\"", "\n", "0123456"]]
        let letters = alphabets.randomElement(using: &random) ?? []
        return (0..<count).reduce(into: []) { names, _ in
            let length = Int.random(in: 0...12, using: &random)
            let end = (0..<length).map { _ in letters.randomElement(using: &random) ?? "" }
            names.insert(Name((prefixes.randomElement(using: &random) ?? "") + end.joined()))
        }
    }

    @Test("Names are sorted by their bytes, however many there are", arguments: [1, 2, 60, 130, 400, 3_000])
    func sorted(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        for _ in 0..<40 {
            let names = Self.names(count, &random).map(\.text)
            let entries = SettingValue.Entries(uniqueKeysWithValues: names.map { ($0, SettingValue.null) })
            let expected = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let found = entries.sortedByKey().map(\.key)
            // Compared by bytes, and not within the expectation, which would show both.
            let isRight = found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }
            #expect(isRight)
        }
    }

    @Test("Zeros at the end of a name count", arguments: [10, 500])
    func zeros(count: Int) {
        let names = (0..<count).map { "a" + String(repeating: "\0", count: $0) }
        let entries = SettingValue.Entries(uniqueKeysWithValues: names.map { ($0, SettingValue.null) })
        #expect(entries.sortedByKey().map(\.key.utf8.count) == Array(1...count))
    }

    @Test("The entries of a large JSON object are sorted by their names, not by their escapes", arguments: [3, 1_000])
    func escapes(count: Int) throws {
        let names = (0..<count).flatMap { ["\($0)", "\"\($0)", "\\\($0)", "\u{1}\($0)", "a\($0)", "{\($0)"] }
        let entries = SettingValue.Entries(
            uniqueKeysWithValues: names.map { ($0, SettingValue.dictionary(["": .string($0)])) })
        let found = String(decoding: try FileFormat.json.encode(SettingTree(entries)), as: UTF8.self)
        var expected = "{"
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let spelling = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\u{1}", with: "\\u0001")
            expected += "\(expected == "{" ? "" : ",")\n  \"\(spelling)\": {\n    \"\": \"\(spelling)\"\n  }"
        }
        let isRight = found == expected + "\n}\n"
        #expect(isRight)
    }

    @Test("Of several values that JSON can't spell, the first in the order of the keys is named", arguments: [3, 500])
    func firstError(count: Int) {
        var entries = SettingValue.Entries()
        for number in 100..<100 + count { entries["k\(number)"] = .real(.nan) }
        entries["k100"] = .dictionary(["x": .real(.infinity)])
        let error = #expect(throws: FormatError.self) { try FileFormat.json.encode(SettingTree(entries)) }
        #expect(error?.description == "Key “k100.x”: JSON can't represent the number inf.")
    }
}

import SettleTesting
import Testing

@testable import Settle

/// A file that only programs have written: what changes is written into it, and the result is the file that would be
/// written without it.
@Suite(.timeLimit(.minutes(10))) struct OwnTextTests {
    @Test("Changes of a random tree give the bytes of a new file", arguments: UInt64(0)..<400)
    func changes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Never removed, because a file whose last value is removed keeps its two lines.
        var tree = SettingTree(["m": .integer(0)])
        for _ in 0..<Int.random(in: 0..<30, using: &random) {
            let (key, value) = Self.change(of: tree, &random)
            tree[key] = value
        }
        var text = try FileFormat.json.encode(tree)
        for _ in 0..<5 {
            let before = tree
            var difference = MirrorDifference()
            for _ in 0..<([1, 1, 2, 3, 5, 40].randomElement(using: &random) ?? 1) {
                let (key, value) = Self.change(of: tree, &random)
                difference.willChange(key, in: tree)
                tree[key] = value
            }
            let expected = try FileFormat.json.encode(tree)
            if !Self.hasEmptied(before.root, to: tree.root) {
                for changed in [difference.values, nil] {
                    let written = try FileFormat.json.encode(tree, into: text, changing: changed)
                    let texts = [text, written].map { String(decoding: $0, as: UTF8.self) }
                    try #require(written == expected, "\(texts.joined(separator: "---\n"))")
                }
            }
            text = expected
        }
    }

    /// A value replaced, removed, or added beside another one or in an empty dictionary.
    private static func change(
        of tree: SettingTree, _ random: inout SeededGenerator
    ) -> (key: SettingKey, value: SettingValue?) {
        let leaf = tree.leafKeys.sorted().randomElement(using: &random) ?? "m"
        let name = RandomValues.names.randomElement(using: &random) ?? "a"
        let value: SettingValue? = random.oneOf(4) ? nil : RandomValues.value(&random)
        var key = leaf
        switch Int.random(in: 0..<4, using: &random) {
        case 0: break
        case 1: key = tree[leaf] == .dictionary([:]) ? leaf.appending(component: name) : leaf
        case 2: key = leaf.parent?.appending(component: name) ?? SettingKey(name: name)
        default: key = SettingKey(name: name)
        }
        return key == "m" ? (key, .integer(1)) : (key, value)
    }

    /// Whether a dictionary has lost all of its entries, and is still there: it keeps its lines.
    private static func hasEmptied(_ old: SettingValue.Entries, to new: SettingValue.Entries) -> Bool {
        new.contains { name, value in
            guard case .dictionary(let new) = value, case .dictionary(let old)? = old[name] else { return false }
            return new.isEmpty ? !old.isEmpty : hasEmptied(old, to: new)
        }
    }

    @Test("A few changes of a large file give the bytes of a new one", arguments: UInt64(0)..<20)
    func largeFile(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var tree = SettingTree()
        for number in 0..<2_000 {
            let key = SettingKey(stored: "\(number % 7 == 0 ? "group\(number % 5)." : "")setting_\(number * 7 % 2_000)")
            tree[key] = random.oneOf(3) ? .string("text \(number)") : .integer(Int64(number))
        }
        var text = try FileFormat.json.encode(tree)
        for round in 0..<10 {
            var difference = MirrorDifference()
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let number = Int.random(in: 0..<2_100, using: &random)
                let key = SettingKey(stored: "\(random.oneOf(4) ? "group\(number % 5)." : "")setting_\(number)")
                difference.willChange(key, in: tree)
                tree[key] = random.oneOf(5) ? nil : .integer(Int64(round))
            }
            let expected = try FileFormat.json.encode(tree)
            // Not within the expectation, which would show all.
            let isRight = try FileFormat.json.encode(tree, into: text, changing: difference.values) == expected
            #expect(isRight, "round \(round): \(difference.values)")
            text = expected
        }
    }
}

import SettleTesting
import Testing

@testable import Settle

@Suite struct MirrorDifferenceTests {
    /// Makes changes of values in force and edits of the file, and compares with a copy of the file.
    private struct Run {
        var tree = SettingTree()
        var file = SettingTree()
        var difference = MirrorDifference()

        mutating func set(_ key: SettingKey, _ value: SettingValue?) {
            difference.willChange(key, in: tree)
            tree[key] = value
        }

        mutating func edit(_ key: SettingKey, _ value: SettingValue?) {
            tree[key] = value
            file[key] = value
            difference = MirrorDifference(from: tree, to: file) { $0 == $1 }
        }

        /// As a journal that is begun anew says it.
        mutating func reread() {
            difference = MirrorDifference(difference.entries)
        }

        /// Whether no place is within another one.
        var isDisjoint: Bool {
            difference.values.keys.allSatisfy { $0.parents.allSatisfy { difference.values[$0] == nil } }
        }

        mutating func write() {
            file = tree
            difference = MirrorDifference()
        }
    }

    private static let keys: [SettingKey] = ["a", "g", "g.x", "g.y", "g.h", "g.h.z", "g.h.w", "k.l.m"]
    private static let values: [SettingValue?] = [
        nil, .integer(1), .integer(2), .dictionary([:]), .dictionary(["x": .integer(3)]),
        .dictionary(["h": .dictionary(["z": .integer(4)]), "y": .integer(5)]),
    ]

    @Test("Whatever is changed and edited, the difference tells what the file has") func random() throws {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var run = Run()
            var steps: [String] = []
            for _ in 0..<12 {
                let key = try #require(Self.keys.randomElement(using: &random))
                let value = Self.values.randomElement(using: &random) ?? nil
                switch random.next() % 9 {
                case 0:
                    run.write()
                    steps.append("write")
                case 8:
                    run.reread()
                    steps.append("read again")
                case 1, 2:
                    run.edit(key, value)
                    steps.append("edit \(key) \(SettingTreeText.text(value))")
                default:
                    run.set(key, value)
                    steps.append("set \(key) \(SettingTreeText.text(value))")
                }
                let found = run.difference.mirror(of: run.tree)
                guard found != run.file || !run.isDisjoint else { continue }
                Issue.record("seed \(seed): \(found) instead of \(run.file) after \(steps)")
                return
            }
        }
    }

    private func tree(using random: inout SeededGenerator) -> SettingTree {
        var tree = SettingTree()
        for _ in 0..<(random.next() % 7) {
            guard let key = Self.keys.randomElement(using: &random) else { continue }
            tree[key] = Self.values.randomElement(using: &random) ?? nil
        }
        return tree
    }

    @Test("What a file has where it differs, put over the values in force, gives the file") func trees() {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let (tree, file) = (tree(using: &random), tree(using: &random))
            let difference = MirrorDifference(from: tree, to: file) { $0 == $1 }
            #expect(difference.mirror(of: tree) == file, "seed \(seed)")
            #expect(difference.isEmpty == (tree == file), "seed \(seed)")
            #expect(MirrorDifference(difference.entries) == difference, "seed \(seed)")
            #expect(MirrorDifference(from: tree, to: tree) { $0 == $1 }.isEmpty, "seed \(seed)")
        }
    }

    @Test("Values that the file's format can't tell apart are no difference") func alike() {
        let (tree, file) = (SettingTree(["a": .integer(1), "b": .integer(1)]), SettingTree(["a": .real(1)]))
        let difference = MirrorDifference(from: tree, to: file) { one, other in one != nil && other != nil }
        #expect(difference.entries == [JournalEntry(key: "b", value: nil)])
    }
}

import SettleTesting
import Testing

@testable import Settle

/// Compares external changes of single keys with the same changes of a whole tree.
@Suite struct ExternalChangeMergingTests {
    private let names = ["a", "b", "a\\.b", "c"]

    private func key(_ random: inout Xorshift) -> SettingKey {
        let path = (0...Int.random(in: 0..<3, using: &random)).map { _ in names.randomElement(using: &random) ?? "a" }
        return SettingKey(stored: path.joined(separator: "."))
    }

    private func value(_ random: inout Xorshift, depth: Int = 0) -> SettingValue? {
        switch Int.random(in: 0..<(depth < 3 ? 6 : 4), using: &random) {
        case 0: return depth == 0 ? nil : .some(.null)
        case 1, 2, 3: return .integer(Int64.random(in: 0..<10, using: &random))
        default:
            var entries: [String: SettingValue] = [:]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                entries[names.randomElement(using: &random) ?? "a"] = value(&random, depth: depth + 1)
            }
            return .dictionary(SettingValue.Entries(entries))
        }
    }

    private func values(_ count: Int, _ random: inout Xorshift) -> [SettingKey: SettingValue?] {
        var values: [SettingKey: SettingValue?] = [:]
        for _ in 0..<count { values.updateValue(value(&random), forKey: key(&random)) }
        return values
    }

    private func change(_ random: inout Xorshift) -> ExternalChange {
        if Bool.random(using: &random) { return ExternalChange(.values(values(5, &random))) }
        var tree = SettingTree()
        tree.apply(values(5, &random))
        return ExternalChange(.everything(tree))
    }

    @Test("Changes give single keys the same values as they give a tree") func valuesAtKeys() {
        let seed = SeededGenerator.drawSeed()
        var random = Xorshift(seed: seed)
        for _ in 0..<3_000 {
            let changes = (0..<Int.random(in: 0...3, using: &random)).map { _ in change(&random) }
            let keys = Array(values(4, &random).keys)
            var before: [SettingKey: SettingValue] = [:]
            for key in keys { before[key] = value(&random) }
            let found = changes.values(at: keys, over: before)
            for key in keys {
                var tree = SettingTree()
                tree[key] = before[key]
                changes.apply(to: &tree)
                #expect(found[key] == tree[key], "\(key) seed \(seed)")
            }
        }
    }

    @Test("Overwriting a change with later values keeps what it changes at other keys") func overwrite() {
        let seed = SeededGenerator.drawSeed()
        var random = Xorshift(seed: seed)
        for _ in 0..<3_000 {
            // A store never saves a key together with one inside it.
            var later: [SettingKey: SettingValue?] = [:]
            for (key, value) in values(4, &random) where !later.keys.contains(where: { overlap($0, key) }) {
                later.updateValue(value, forKey: key)
            }
            var change = change(&random)
            let expected = overwritten(change, with: later)
            change.overwrite(later)
            #expect(change == expected, "seed \(seed)")
        }
    }

    private func overlap(_ first: SettingKey, _ second: SettingKey) -> Bool {
        first == second || first.contains(second) || second.contains(first)
    }

    /// Does the same as `overwrite(_:)`, one value at a time.
    private func overwritten(_ change: ExternalChange, with later: [SettingKey: SettingValue?]) -> ExternalChange {
        var change = change
        switch change.content {
        case .values(var changed):
            for (key, value) in later {
                for other in changed.keys {
                    if key == other {
                        changed.updateValue(value, forKey: other)
                    } else if key.contains(other) {
                        changed.removeValue(forKey: other)
                    } else if other.contains(key) {
                        var tree = SettingTree()
                        tree[other] = changed[other] ?? nil
                        tree[key] = value
                        changed.updateValue(tree[other], forKey: other)
                    }
                }
            }
            change.content = .values(changed)
        case .everything(var tree):
            for (key, value) in later { tree[key] = value }
            change.content = .everything(tree)
        case .unusable: break
        }
        return change
    }
}

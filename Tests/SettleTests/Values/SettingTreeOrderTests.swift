import SettleTesting
import Testing

@testable import Settle

/// Trees of values.
@Suite struct SettingTreeOrderTests {
    @Test("Applying values together gives the same tree, and the same earlier values, as one after the other")
    func applyInOrder() {
        var random = SeededGenerator(seed: 40)
        let keys: [SettingKey] = [
            "a", "a.b", "a.b.c", "a.b.d", "a.c", "a.d", "b.a", "b.b", #"b\.a"#, #"a.b\.c"#, #"a.b\.d"#, #"\\.a"#, "c",
        ]
        for _ in 0..<5_000 {
            let values = (0..<6).map { _ in
                (key: keys.randomElement(using: &random)!, value: value(using: &random))
            }
            var (tree, expected) = (SettingTree(), Nested.dictionary([:]))
            for round in [values[..<3], values[3...]] {
                let before = round.map { key, value in expected.exchange(value, at: key.components[...]) }
                #expect(tree.apply(inOrder: round) == before, "\(values)")
            }
            #expect(tree.root == expected.entries, "\(values)")
        }
    }

    private func value(using random: inout SeededGenerator) -> SettingValue? {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: nil
        case 2: .dictionary(["b": .integer(1)])
        case 3: .dictionary([:])
        default: .integer(Int64.random(in: 0..<9, using: &random))
        }
    }
}

/// A tree as its documentation describes it, written for clarity and not for speed.
private enum Nested {
    case value(SettingValue)
    case dictionary([String: Nested])

    init(_ value: SettingValue) {
        guard case .dictionary(let entries) = value else {
            self = .value(value)
            return
        }
        self = .dictionary(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, Nested($0.value)) }))
    }

    var value: SettingValue {
        switch self {
        case .value(let value): value
        case .dictionary: .dictionary(entries)
        }
    }

    var entries: SettingValue.Entries {
        guard case .dictionary(let members) = self else { return [:] }
        return SettingValue.Entries(members.mapValues(\.value))
    }

    mutating func exchange(_ new: SettingValue?, at names: ArraySlice<String>) -> SettingValue? {
        guard let name = names.first else { return nil }
        var members: [String: Nested] = [:]
        var isDictionary = false
        if case .dictionary(let known) = self { (members, isDictionary) = (known, true) }
        guard isDictionary || new != nil else { return nil }
        let old: SettingValue?
        if names.count == 1 {
            old = members[name]?.value
            members[name] = new.map(Nested.init)
        } else {
            var inner = members[name] ?? .dictionary([:])
            if members[name] == nil, new == nil { return nil }
            old = inner.exchange(new, at: names.dropFirst())
            if case .dictionary(let left) = inner, left.isEmpty { members[name] = nil } else { members[name] = inner }
        }
        self = .dictionary(members)
        return old
    }
}

import SettleTesting
import Testing

@testable import Settle

/// The index of settings by key, compared with a linear search of all settings.
@Suite(.timeLimit(.minutes(10))) struct SlotIndexTests {
    private static let names = ["a", "b", "c"]

    private func slot(_ key: SettingKey, _ access: SettingsAccess, isSecret: Bool) -> SettingSlot {
        SettingSlot(
            key: key, declaration: nil, schedule: nil, access: access, isSecret: isSecret,
            box: SettingBox(SettingDefinition(key: nil, defaultValue: 0, rules: [], codec: .standard)),
            parent: Topic(parent: nil))
    }

    /// All keys of one to three names.
    private var keys: [SettingKey] {
        let one = Self.names.map { SettingKey(name: $0) }
        let two = one.flatMap { key in Self.names.map { key.appending(component: $0) } }
        let three = two.flatMap { key in Self.names.map { key.appending(component: $0) } }
        return one + two + three
    }

    private func check(_ index: SlotIndex, against all: [SettingSlot]) throws {
        try #require(index.isEmpty == all.isEmpty && Set(index.all.map(\.key)) == Set(all.map(\.key)))
        for key in keys {
            let own = all.first { $0.key == key }
            let (around, within) = (all.filter { key.isWithin($0.key) }, all.filter { $0.key.isWithin(key) })
            let concerned = around + within + [own].compactMap { $0 }
            try #require(index[key] === own)
            try #require(Set(index.within(key).map(\.key)) == Set(within.map(\.key)), "within \(key)")
            try #require(index.concerns(key) == !concerned.isEmpty, "\(key)")
            try #require(index.around(key).map(\.key) == around.map(\.key).sorted().reversed(), "around \(key)")
            let overlapping = index.overlapping(key)
            try #require(overlapping.map(\.key).sorted() == concerned.map(\.key).sorted())
            let neighbour = index.neighbour(of: key)
            try #require((neighbour == nil) == (around + within).isEmpty, "\(key)")
            try #require(neighbour.map { slot in (around + within).contains { $0 === slot } } ?? true, "\(key)")
            let owned = index.owned(at: key)
            try #require((owned == nil) == concerned.allSatisfy { $0.access == .open }, "\(key)")
            try #require(owned.map { slot in concerned.contains { $0 === slot } && slot.access == .owner } ?? true)
            try #require(index.isSecret(key) == concerned.contains { $0.isSecret }, "\(key)")
        }
    }

    @Test("After any insertions, replacements and removals the index finds what lies around and within a key")
    func anySteps() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20 {
            var index = SlotIndex()
            var all: [SettingSlot] = []
            for _ in 0..<40 {
                let key = keys.randomElement(using: &generator) ?? "a"
                switch Int.random(in: 0..<5, using: &generator) {
                case 0...2:
                    let new = slot(
                        key, Bool.random(using: &generator) ? .owner : .open,
                        isSecret: Bool.random(using: &generator))
                    index.insert(new)
                    all.removeAll { $0.key == key }
                    all.append(new)
                case 3:
                    index.makeOwned(key)
                    // The index has changed the slot itself.
                    #expect(all.allSatisfy { $0.key != key || $0.access == .owner })
                default:
                    let removed = all.randomElement(using: &generator) ?? slot(key, .open, isSecret: false)
                    index.remove(removed)
                    all.removeAll { $0 === removed }
                }
                try check(index, against: all)
            }
            for slot in all { index.remove(slot) }
            try check(index, against: [])
        }
    }

    @Test("Removing a slot that another one has replaced does not remove the other one")
    func replaced() {
        var index = SlotIndex()
        let (first, second) = (slot("a.b", .open, isSecret: false), slot("a.b", .open, isSecret: false))
        index.insert(first)
        index.insert(second)
        index.remove(first)
        #expect(index["a.b"] === second && index.concerns("a"))
        index.remove(second)
        #expect(index.isEmpty && !index.concerns("a"))
    }
}

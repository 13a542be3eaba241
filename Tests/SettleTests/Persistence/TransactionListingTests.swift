import Testing

@testable import Settle

/// Single transactions told apart that are stored as one batch.
@Suite(.timeLimit(.minutes(10))) struct TransactionListingTests {
    private func item(
        _ writes: [(key: SettingKey, old: SettingValue?, new: SettingValue?)]
    ) -> TransactionListing.Item {
        TransactionListing.Item(time: 1, author: "me", origin: .local, writes: writes)
    }

    private func mutations(
        _ items: [TransactionListing.Item], storing values: [SettingKey: SettingValue?],
        over before: [SettingKey: SettingValue] = [:]
    ) -> [[StoredMutation]] {
        var listing = TransactionListing(values, replacing: before)
        return listing.transactions(
            items, of: UInt64(items.count), by: TransactionAuthor(), batchAuthor: nil, now: 1
        ).map { $0.mutations ?? [] }
    }

    @Test("A key that a transaction writes several times has one mutation, and none if it is as before")
    func severalTimes() {
        let listed = mutations(
            [
                item([
                    ("b", nil, .integer(1)), ("a", .integer(0), .integer(1)), ("c", .integer(5), .integer(6)),
                    ("b", .integer(1), .integer(2)), ("c", .integer(6), .integer(5)),
                ])
            ],
            storing: ["a": .integer(1), "b": .integer(2), "c": .integer(5)],
            over: ["a": .integer(0), "c": .integer(5)])
        #expect(
            listed == [
                [
                    StoredMutation(key: "a", oldValue: .integer(0), newValue: .integer(1)),
                    StoredMutation(key: "b", oldValue: nil, newValue: .integer(2)),
                ]
            ])
    }

    @Test("What no transaction explains is joined with the last one, key by key") func rest() {
        let listed = mutations(
            [item([("a", nil, .integer(1)), ("b", nil, .integer(1))])],
            storing: ["a": .integer(2), "b": .integer(1), "c": .integer(3)])
        #expect(
            listed == [
                [
                    StoredMutation(key: "a", oldValue: nil, newValue: .integer(2)),
                    StoredMutation(key: "b", oldValue: nil, newValue: .integer(1)),
                    StoredMutation(key: "c", oldValue: nil, newValue: .integer(3)),
                ]
            ])
    }

    @Test("A key that is stored again inside a removed one is explained by the transactions that did both")
    func within() {
        let inner = SettingValue.dictionary(["q": .integer(14)])
        let listed = mutations(
            [item([("t", inner, nil)]), item([("t.q", nil, .integer(19))])], storing: ["t": nil, "t.q": .integer(19)],
            over: ["t": inner, "t.q": .integer(14)])
        #expect(
            listed == [
                [StoredMutation(key: "t", oldValue: inner, newValue: nil)],
                [StoredMutation(key: "t.q", oldValue: nil, newValue: .integer(19))],
            ])
    }

    // With work that grows with the square of the count, these take longer than the suite may.

    @Test("The work for a transaction grows with what it writes, not with its square", arguments: [false, true])
    func growth(isKnown: Bool) {
        let keys = (0..<50_000).map { SettingKey(stored: "group\($0 % 100).key\($0)") }
        let values = Dictionary(uniqueKeysWithValues: keys.map { ($0, SettingValue?.some(.integer(1))) })
        let writes = keys.map { (key: $0, old: SettingValue?.none, new: SettingValue?.some(.integer(1))) }
        let listed = mutations([item(isKnown ? writes : [("other", nil, .integer(1))])], storing: values)
        #expect(listed.map(\.count) == [keys.count])
    }

    @Test("The work to take a transaction apart grows with what it wrote, too", arguments: [false, true])
    func growthOfUndo(isNested: Bool) {
        let count = 100_000
        var mutations = (0..<count).map { number in
            StoredMutation(key: SettingKey(stored: "group.key\(number)"), oldValue: nil, newValue: .integer(1))
        }
        if isNested {
            mutations.append(StoredMutation(key: "group", oldValue: nil, newValue: .dictionary(["a": .integer(0)])))
        }
        let outermost = mutations.outermost
        #expect(outermost.count == (isNested ? 1 : count))
        guard isNested, case .dictionary(let entries)? = outermost.first?.new else { return }
        #expect(entries.count == count + 1)
    }
}

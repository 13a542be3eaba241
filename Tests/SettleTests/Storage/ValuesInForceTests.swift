import Testing

@testable import Settle

@Suite struct ValuesInForceTests {
    private func batch(_ key: SettingKey, _ value: Int64, author: String? = nil) -> JournalBatch {
        JournalBatch(
            revision: 1, author: author,
            entries: [JournalEntry(key: key, value: .integer(value))])
    }

    private func own(_ key: SettingKey, _ value: Int64, replacing old: Int64? = nil) -> StorageBatch {
        StorageBatch(
            revision: 1, values: [key: .integer(value)], expectedValues: old.map { [key: .integer($0)] } ?? [:])
    }

    @Test("A change by another process is reported once, with its author") func told() {
        var values = ValuesInForce()
        values.announce(batch("a", 1, author: "other"), of: nil)
        #expect(values.tree == SettingTree(["a": .integer(1)]))
        let told = (1...2).map { _ in values.takeUndelivered() }
        #expect(told == [[ExternalChange(.values(["a": .integer(1)]), author: "other")], []])
    }

    @Test("A later batch of the store overwrites a change that has not been reported to it") func appended() {
        var values = ValuesInForce()
        values.announce(batch("a", 1), of: nil)
        #expect(values.valuesReplaced(by: own("a", 2, replacing: 0)) == ["a": .integer(1)])
        values.didAppend(batch("a", 2))
        #expect(values.tree == SettingTree(["a": .integer(2)]))
        let told = values.takeUndelivered()
        #expect(told == [ExternalChange(.values(["a": .integer(2)]))])
    }

    @Test("What is put over the values of others was never another one") func kept() {
        var values = ValuesInForce()
        values.announce(batch("a", 1), of: nil)
        values.announce(batch("b", 1), of: nil)
        values.keep(batch("a", 2))
        #expect(values.tree == SettingTree(["a": .integer(2), "b": .integer(1)]))
        for change in values.takeUndelivered() {
            guard case .values(let changed) = change.content else { continue }
            #expect(changed["a"] == nil || changed["a"] == .integer(2))
        }
    }

    @Test("A load does not hide a change that has not been reported") func loaded() {
        var values = ValuesInForce()
        values.announce(batch("a", 1), of: nil)
        values.begin(with: SettingTree(["a": .integer(0), "b": .integer(2)]))
        #expect(values.tree == SettingTree(["a": .integer(1), "b": .integer(2)]))
        var known = SettingTree(["b": .integer(3)])
        values.putUndelivered(over: &known)
        #expect(known == SettingTree(["a": .integer(1), "b": .integer(3)]))
    }

    @Test("An append that failed to sync counts as replaced until its key is appended again") func unsynced() {
        var values = ValuesInForce()
        values.didNotSync(own("a", 1))
        #expect(values.valuesReplaced(by: own("a", 2, replacing: 0)) == ["a": .integer(1)])
        #expect(values.valuesReplaced(by: own("b", 2)).isEmpty)
        values.didAppend(batch("a", 2))
        #expect(values.valuesReplaced(by: own("a", 3, replacing: 2)) == ["a": .integer(2)])
    }

    @Test("A value that another process overwrites no longer counts as replaced")
    func overwritten() {
        var values = ValuesInForce()
        values.didNotSync(own("a", 1))
        values.announce(batch("a", 5), of: nil)
        _ = values.takeUndelivered()
        #expect(values.valuesReplaced(by: own("a", 2, replacing: 5)) == ["a": .integer(5)])
    }
}

import Testing

@testable import Settle

/// What records say of transactions.
@Suite struct FileHistoryTests {
    private func tree(_ values: [String: Int64]) -> SettingTree {
        SettingTree(SettingValue.Entries(uniqueKeysWithValues: values.map { ($0.key, .integer($0.value)) }))
    }

    private func edit(_ values: [SettingKey: Int64]) -> JournalBatch {
        JournalBatch(
            revision: 0,
            entries: values.sorted(by: \.key).map { JournalEntry(key: $0.key, value: .integer($0.value)) })
    }

    @Test("An edit is one transaction of nobody known, with what stood there before") func edited() {
        let found = FileHistory().transaction(ofEdit: edit(["a": 2, "b": 3]), over: tree(["a": 1]), nil, at: 7)
        #expect(found.count == 1 && found.time == 7)
        let mutations = [
            StoredMutation(key: "a", oldValue: .integer(1), newValue: .integer(2)),
            StoredMutation(key: "b", oldValue: nil, newValue: .integer(3)),
        ]
        let transaction = StoredTransaction(
            time: 7, author: TransactionAuthor(), origin: .external, mutations: mutations)
        #expect(found.list == [transaction])
    }

    @Test("Neither an edit nor a batch has values of secrets, whoever has said that they are some") func secrets() {
        var history = FileHistory()
        history.secrets = ["a"]
        let kept = JournalHistory(policy: .none, secrets: ["b"])
        let found = history.transaction(
            ofEdit: edit(["a": 1, "b": 2, "c": 3]), over: tree(["a": 0, "b": 0, "c": 0]), kept, at: 7)
        #expect(found.list?.first?.mutations?.map(\.newValue) == [nil, nil, .integer(3)])
        #expect(found.list?.first?.mutations?.map(\.oldValue) == [nil, nil, .integer(0)])
        let transaction = StoredTransaction(
            time: 5, author: TransactionAuthor(), origin: .local,
            mutations: ["a", "b", "c"].map { StoredMutation(key: $0, oldValue: nil, newValue: .integer(1)) })
        let stored = history.transactions(
            of: StorageBatch(revision: 1, values: ["a": .integer(1)], transactions: [transaction]), kept, at: 7)
        #expect(stored.time == 5 && stored.list?.first?.mutations?.map(\.newValue) == [nil, nil, .integer(1)])
    }

    @Test("A batch that lists no transactions is of now, and counts as one at least") func unlisted() {
        for (count, expected) in [(0, 1), (1, 1), (3, 3)] as [(UInt64, UInt64)] {
            let batch = StorageBatch(revision: 1, values: ["a": .integer(1)], transactionCount: count)
            let found = FileHistory().transactions(of: batch, nil, at: 7)
            #expect(found == JournalTransactions(count: expected, time: 7))
        }
    }

    // MARK: Recent transactions

    private let start = ChangeToken(history: 1, position: 0, checksum: 0)

    private func recent(_ batch: JournalBatch, over tree: SettingTree) -> [StoredRecord]? {
        var recent = RecentTransactions()
        recent.begin(at: start)
        recent.add(batch, of: 1, over: tree)
        return recent.records(after: start, limit: 10)
    }

    @Test("A record of others tells what it replaced, whether it lists that or not") func replaced() throws {
        var batch = edit(["a": 2])
        #expect(recent(batch, over: tree(["a": 1])) == [])
        batch.transactions = JournalTransactions(position: 1, count: 1, time: 7)
        let mutations = [StoredMutation(key: "a", oldValue: .integer(1), newValue: .integer(2))]
        let unlisted = try #require(recent(batch, over: tree(["a": 1])))
        #expect(unlisted.map(\.token.position) == [1])
        #expect(unlisted.first?.transactions.first?.mutations == mutations)
        batch.transactions = FileHistory().transaction(ofEdit: batch, over: tree(["a": 1]), nil, at: 7)
        batch.transactions?.position = 1
        // Nothing is looked up: the list says it.
        #expect(recent(batch, over: SettingTree())?.first?.transactions.first?.mutations == mutations)
    }

    @Test("A record of this process counts only with transactions, and where the history stands is known")
    func appended() {
        var recent = RecentTransactions()
        recent.begin(at: start)
        var batch = edit(["a": 2])
        let place = ChangeToken(history: 1, position: 1, checksum: 9)
        recent.add(batch, upTo: place, replacing: [:], size: 10)
        batch.transactions = JournalTransactions(position: 1, count: 1, time: 7)
        recent.add(batch, upTo: nil, replacing: [:], size: 10)
        #expect(recent.end == start)
        recent.add(batch, upTo: place, replacing: ["a": .integer(1)], size: 10)
        #expect(recent.end == place)
        let found = recent.records(after: start, limit: 10)?.first?.transactions.first?.mutations?.first
        #expect(found?.oldValue == .integer(1))
    }
}

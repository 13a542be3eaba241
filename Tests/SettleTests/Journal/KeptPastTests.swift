import Testing

@testable import Settle

@Suite struct KeptPastTests {
    private typealias Past = Settle.KeptPast

    private let now = 1_000_000.0

    private func record(_ position: UInt64, age: Double = 0, _ mutations: [StoredMutation]) -> JournalTransactions {
        let transaction = StoredTransaction(
            time: now - age, author: TransactionAuthor(), origin: .local, mutations: mutations)
        var record = JournalTransactions(position: position, count: 1, time: now - age, list: [transaction])
        record.checksum = 10 * position
        return record
    }

    /// Ten records of one transaction each, the newest a minute old, and each an hour older than the one behind it.
    private var past: Past {
        let records = (1...10).map { position in
            record(
                UInt64(position), age: Double(10 - position) * 3600 + 60,
                [StoredMutation(key: "a", oldValue: nil, newValue: .integer(Int64(position)))])
        }
        return Past(oldest: ChangeToken(history: 7, position: 0, checksum: 3), records: records)
    }

    private func positions(
        _ past: Past, _ policy: HistoryPolicy, secrets: Set<SettingKey> = [], forgetting key: SettingKey? = nil
    ) -> [UInt64] {
        let history = JournalHistory(policy: policy, secrets: secrets)
        let allowed = past.allowed(by: history, at: now, forgetting: key)
        // It begins where what is left out ends.
        let left = past.records.prefix { $0.position < allowed.records.first?.position ?? .max }.last
        #expect(allowed.oldest == left?.token(in: 7) ?? past.oldest)
        return allowed.records.map(\.position)
    }

    private func size(_ records: some Sequence<JournalTransactions>) -> Int {
        records.reduce(0) { $0 + JournalRecord(.past($1), durableEnd: 0).encoded(at: .start(of: 1)).bytes.count }
    }

    @Test("The newest transactions are kept, as many as are allowed") func count() {
        for count in 1...10 {
            #expect(positions(past, .keep(transactions: count)) == Array(past.records.map(\.position).suffix(count)))
        }
        #expect(positions(past, .keep()).count == 10)
        #expect(positions(past, .none).isEmpty)
        #expect(positions(Past(oldest: past.oldest), .keep()).isEmpty)
    }

    @Test("A record with several transactions is kept if there is room for one of them") func several() {
        var past = past
        let transaction = StoredTransaction(time: now, author: TransactionAuthor(), origin: .local, mutations: [])
        past.records[9].list = [transaction, transaction, transaction]
        #expect(positions(past, .keep(transactions: 1)) == [10])
        #expect(positions(past, .keep(transactions: 3)) == [10])
        #expect(positions(past, .keep(transactions: 4)) == [9, 10])
        // One without a list takes the room of one.
        past.records[9].list = nil
        #expect(positions(past, .keep(transactions: 2)) == [9, 10])
    }

    @Test("Records are kept that fit into the bytes, without a hole") func bytes() {
        for count in 1...10 {
            let bytes = size(past.records.suffix(count))
            #expect(positions(past, .keep(bytes: bytes)).count == count)
            #expect(positions(past, .keep(bytes: bytes - 1)).count == count - 1)
        }
        var past = past
        let long = SettingValue.string(String(repeating: "x", count: 2000))
        past.records[6] = record(7, [StoredMutation(key: "a", oldValue: nil, newValue: long)])
        #expect(positions(past, .keep(bytes: 1000)) == [8, 9, 10])
    }

    @Test("Records are kept that are young enough, with all that follow") func age() {
        for hours in 0..<10 {
            #expect(
                positions(past, .keep(for: HistoryPolicy.Age(seconds: Int64(hours * 3600 + 60)))).count == hours + 1)
            #expect(positions(past, .keep(for: HistoryPolicy.Age(seconds: Int64(hours * 3600 + 59)))).count == hours)
        }
        // A clock that was wrong for a while cuts nothing off.
        var past = past
        past.records[8].time = 0
        #expect(positions(past, .keep(for: .hours(3))) == [8, 9, 10])
        past.records[0].time = now + 99
        #expect(positions(past, .keep(for: .hours(3))).count == 10)
    }

    @Test("Of secrets nothing but the change is kept, and of a forgotten key not even that") func withheld() {
        var past = Past(oldest: past.oldest)
        past.records = [
            record(
                1,
                [
                    StoredMutation(
                        key: "g", oldValue: nil, newValue: .dictionary(["s": .integer(1), "a": .integer(2)])),
                    StoredMutation(key: "s", oldValue: .integer(1), newValue: .integer(2)),
                ])
        ]
        let history = JournalHistory(policy: .keep(), secrets: ["s", "g.s"])
        let rest = StoredMutation(key: "g", oldValue: nil, newValue: .dictionary(["a": .integer(2)]))
        let kept = past.allowed(by: history, at: now, forgetting: nil).records[0].list?[0].mutations
        #expect(kept == [rest, StoredMutation(withheldAt: "g.s"), StoredMutation(withheldAt: "s")])
        let forgotten = past.allowed(by: history, at: now, forgetting: "s").records[0].list?[0].mutations
        #expect(forgotten == [rest, StoredMutation(withheldAt: "g.s")])
        let inner = past.allowed(by: JournalHistory(policy: .keep()), at: now, forgetting: "g.a").records[0].list?[0]
            .mutations
        let other = StoredMutation(key: "g", oldValue: nil, newValue: .dictionary(["s": .integer(1)]))
        #expect(inner == [other, StoredMutation(key: "s", oldValue: .integer(1), newValue: .integer(2))])
        // The record keeps its place in the history.
        #expect(positions(past, .keep(), forgetting: "s") == [1])
    }

    @Test("Withholding comes first: what is left of a record is what takes room") func room() {
        var past = past
        let long = SettingValue.string(String(repeating: "x", count: 2000))
        past.records[6] = record(7, [StoredMutation(key: "s", oldValue: nil, newValue: long)])
        #expect(positions(past, .keep(bytes: 2000), secrets: ["s"]).count == 10)
        #expect(positions(past, .keep(bytes: 2000), forgetting: "s").count == 10)
    }

    @Test("A record of transactions that were told becomes one of the past") func told() {
        let transactions = (1...3).map {
            StoredTransaction(
                time: Double($0), author: TransactionAuthor(), origin: .local, count: UInt64($0), mutations: [])
        }
        let token = ChangeToken(history: 7, position: 20, checksum: 5)
        let record = JournalTransactions(StoredRecord(token: token, transactions: transactions))
        #expect(record.position == 20 && record.count == 6 && record.time == 3 && record.list == transactions)
        #expect(record.token(in: 7) == token)
    }
}

import FoundationEssentials
import Settle
import SettleTesting

extension SeededGenerator {
    mutating func record() -> JournalRecord {
        let version = FileVersion(hash: next(), size: next())
        let content: JournalRecord.Content =
            switch next() % 11 {
            case 0: .mirroring(version)
            case 1: .mirrored(version)
            case 2:
                .edited(JournalBase.Mirror(version, batch().entries, isOfState: next() % 2 == 0), counted(batch()))
            case 3: .kept(batch())
            case 4:
                .history(
                    JournalHistory(
                        policy: .keep(transactions: Int(next() >> 33), for: .days(Int(next() >> 40))),
                        secrets: keys()))
            case 5: .past(transactions())
            case 6:
                .united(
                    JournalUnion(
                        origin: ChangeToken(history: next(), position: next(), checksum: next()),
                        mirrors: next() % 2 == 0 ? [] : [JournalBase.Mirror(version, batch().entries)],
                        batch: counted(batch())))
            case 7:
                .base(
                    JournalBase(
                        tree: SettingTree(dictionary(depth: 3)),
                        mirrors: [JournalBase.Mirror(version, batch().entries), JournalBase.Mirror(version)],
                        news: next() % 2 == 0 ? nil : news()))
            case 8:
                .state(
                    JournalStateKeys(
                        added: keys(), removed: keys(),
                        mirrors: next() % 2 == 0
                            ? [] : [JournalBase.Mirror(version, batch().entries, isOfState: true)]))
            default: .values(counted(batch()))
            }
        return JournalRecord(content, durableEnd: Int(next() >> 1))
    }

    private mutating func keys() -> Set<SettingKey> {
        Set((0..<(next() % 3)).map { _ in SettingKey(stored: text()) })
    }

    private mutating func news() -> JournalBase.News {
        let united = ChangeToken(history: next(), position: next(), checksum: next())
        guard next() % 4 > 0 else { return .everything }
        return JournalBase.News(
            keys: Set(batch().entries.map(\.key)), edited: keys(), united: next() % 2 == 0 ? nil : united,
            unitedKeys: keys())
    }

    private mutating func counted(_ batch: JournalBatch) -> JournalBatch {
        var batch = batch
        if next() % 2 == 0 { batch.transactions = transactions() }
        return batch
    }

    mutating func transactions() -> JournalTransactions {
        let author = TransactionAuthor(
            program: next() % 2 == 0 ? "program" : nil, process: next() % 2 == 0 ? 1 + Int32(next() >> 34) : nil,
            user: next() % 2 == 0 ? "user" : nil)
        let list = (0..<(next() % 4)).map { _ in transaction(by: author) }
        let count = list.isEmpty ? 1 + next() >> 40 : list.reduce(0) { $0 + $1.count }
        return JournalTransactions(
            position: count + next() >> 20, count: count, time: Double(next() >> 20) / 7,
            list: list.isEmpty ? nil : list)
    }

    private mutating func transaction(by author: TransactionAuthor) -> StoredTransaction {
        let undone = ChangeToken(history: next(), position: next(), checksum: next())
        var transaction = StoredTransaction(
            time: Double(next() >> 20) / 3, author: author.named(next() % 2 == 0 ? text() : nil),
            origin: ValueOrigin.allCases.randomElement(using: &self) ?? .local, undone: next() % 3 == 0 ? undone : nil,
            count: next() % 3 == 0 ? 1 + next() >> 40 : 1,
            mutations: next() % 5 == 0 ? nil : (0..<(next() % 4)).map { _ in mutation() })
        transaction.isOwners = next() % 4 == 0
        return transaction
    }

    private mutating func mutation() -> StoredMutation {
        let key = SettingKey(stored: text())
        guard next() % 4 != 0 else { return StoredMutation(withheldAt: key) }
        return StoredMutation(
            key: key, oldValue: next() % 3 == 0 ? nil : value(depth: 2),
            newValue: next() % 3 == 0 ? nil : value(depth: 2))
    }

    mutating func batch() -> JournalBatch {
        var batch = JournalBatch(revision: next() >> (next() % 64), author: next() % 3 == 0 ? text() : nil)
        batch.entries = (0..<(next() % 5)).map { _ in
            JournalEntry(key: SettingKey(stored: text()), value: next() % 4 == 0 ? nil : value(depth: 3))
        }
        return batch
    }

    mutating func value(depth: Int) -> SettingValue {
        switch next() % (depth == 0 ? 8 : 10) {
        case 0: .null
        case 1: .bool(next() % 2 == 0)
        case 2: .integer(Int64(bitPattern: next()) >> Int64(next() % 64))
        case 3: .real(Double(bitPattern: next()))
        case 4: .number("\(next())e400")
        case 5: .string(text())
        case 6: .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: next())))
        case 7: .data(Data((0..<(next() % 20)).map { UInt8($0) }))
        case 8: .array((0..<(next() % 4)).map { _ in value(depth: depth - 1) })
        default: .dictionary(dictionary(depth: depth - 1))
        }
    }

    private mutating func dictionary(depth: Int) -> SettingValue.Entries {
        var entries: SettingValue.Entries = [:]
        for _ in 0..<(next() % 4) { entries[text()] = value(depth: depth) }
        return entries
    }

    private mutating func text() -> String {
        String((0..<(next() % 12)).map { _ in "aZ.é😀\0\u{301}\n".randomElement(using: &self) ?? "a" })
    }
}

extension JournalRecord {
    /// Equal for records that are equal down to the bits, and for no others. `==` distinguishes NaN from itself, but
    /// neither zeros of different signs nor canonically equivalent strings.
    var spelling: String {
        switch content {
        case .values(let batch), .kept(let batch): "\(durableEnd) values \(batch.spelling)"
        case .edited(let mirror, let batch): "\(durableEnd) \(mirror.spelling) \(batch.spelling)"
        case .base(let base):
            "\(durableEnd) base \(SettingValue.dictionary(base.tree.root).spelling) "
                + "\(base.mirrors.map(\.spelling))"
        case .united(let union):
            "\(durableEnd) \(union.origin) \(union.mirrors.map(\.spelling)) \(union.batch.spelling)"
        case .past(let transactions): "\(durableEnd) past \(transactions.spelling)"
        case .history(let history):
            "\(durableEnd) \(history.policy) \(history.secrets.sorted().map { spelled($0.description) })"
        case .state(let state):
            "\(durableEnd) \(state.added.sorted().map { spelled($0.description) }) "
                + "\(state.removed.sorted().map { spelled($0.description) }) \(state.mirrors.map(\.spelling))"
        default: "\(self)"
        }
    }
}

extension JournalBatch {
    fileprivate var spelling: String {
        "\(revision) \(author.map(spelled) ?? "-") \(entries.map(\.spelling)) \(transactions?.spelling ?? "-")"
    }
}

extension JournalEntry {
    fileprivate var spelling: String { "\(spelled(key.description)) \(value?.spelling ?? "-")" }
}

extension JournalTransactions {
    /// Without the checksum, which a record has once it is written.
    fileprivate var spelling: String {
        let list = list?.map { transaction in
            let mutations = transaction.mutations?.map {
                "\(spelled($0.key.description)) \($0.oldValue?.spelling ?? "-") \($0.newValue?.spelling ?? "-") \($0.isWithheld)"
            }
            let author = transaction.author
            return "\(transaction.time) \(author.name.map(spelled) ?? "-") \(author.named(nil)) \(transaction.origin) "
                + "\(transaction.undone?.description ?? "-") \(transaction.count) \(mutations.map { "\($0)" } ?? "-")"
        }
        return "\(position) \(count) \(time) \(list.map { "\($0)" } ?? "-")"
    }
}

extension SettingValue {
    var spelling: String {
        switch self {
        case .real(let real): "real \(real.bitPattern)"
        case .date(let date): "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
        case .string(let text): spelled(text)
        case .data(let data): "data \(Array(data))"
        case .array(let elements): "\(elements.map(\.spelling))"
        case .dictionary(let entries): "\(entries.map { "\(spelled($0.key)): \($0.value.spelling)" }.sorted())"
        default: "\(self)"
        }
    }
}

private func spelled(_ text: String) -> String { "\(Array(text.utf8))" }

extension JournalBase.Mirror {
    fileprivate var spelling: String { "\(version) \(isOfState) \(difference.map(\.spelling))" }
}

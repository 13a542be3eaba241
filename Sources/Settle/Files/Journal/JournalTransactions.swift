/// The file's transactions in a record. A record that has none repeats earlier records, for example at the beginning of
/// a journal.
package struct JournalTransactions: Sendable, Equatable {
    /// The number of transactions in the file's history, including these.
    package var position: UInt64
    /// The number of these transactions.
    package var count: UInt64
    /// The time of the last of them, in seconds since the reference date.
    package var time: Double
    /// The single transactions, if the record lists them. The counts of the list sum up to `count`.
    package var list: [StoredTransaction]?
    /// The checksum of the record, once it has been written.
    package var checksum: UInt64 = 0

    /// - Parameter position: 0 until the record is written.
    package init(position: UInt64 = 0, count: UInt64, time: Double, list: [StoredTransaction]? = nil) {
        self.position = position
        self.count = count
        self.time = time
        self.list = list
    }
}

extension JournalTransactions {
    /// Returns the token after the last of them, in a history.
    package func token(in history: UInt64) -> ChangeToken {
        ChangeToken(history: history, position: position, checksum: checksum)
    }
}

/// The bytes of the section, after the batch of a record whose flag ``JournalRecordHeader/transactionsFlag`` is set:
///
///     position      a count
///     count         a count
///     time          8 bytes: the bits of the seconds since the reference date
///     listed        a count: how many transactions follow
///
/// and if there are any
///
///     program       a text, empty if unknown; of all listed transactions
///     user          a text, empty if unknown
///     process       a count, 0 if unknown
///
/// and for each transaction
///
///     facts         a count: the sum of
///                   1 there is a name, 2 it undoes another, 4 its mutations are known, 8 it stands for several,
///                   16 it has another time than the section, 32 its mutations are those of the record's batch,
///                   64 it has a reason, 128 it has written a setting that only its owner writes
///     time          8 bytes, if it is another one
///     origin        a count: 1 local, 2 external, 3 migration, 4 reset; 0 another one, whose name follows (a text)
///     name          a text, if there is one
///     undone        history u64, position u64, checksum u64, if it undoes another
///     reason        a text, if it has one
///     represented   a count, if it stands for several
///     mutations     of the batch: the old values in its order; otherwise their number (a count), then for each the key
///                   (a text), the old and the new value. Separate tags mean absent, and unknown if the values are
///                   withheld
private enum Facts {
    static let name: UInt64 = 1
    static let undone: UInt64 = 2
    static let mutations: UInt64 = 4
    static let several: UInt64 = 8
    static let time: UInt64 = 16
    static let batch: UInt64 = 32
    static let reason: UInt64 = 64
    static let isOwners: UInt64 = 128
    static let all: UInt64 = 255
}

/// The usual origins, by their numbers.
private let origins: [ValueOrigin] = [.local, .external, .migration, .reset]

extension JournalValueWriter {
    /// - Parameter batch: The batch of the record, if it has one.
    mutating func write(_ transactions: JournalTransactions, of batch: JournalBatch?) {
        write(count: transactions.position)
        write(count: transactions.count)
        write(bits: transactions.time.bitPattern)
        let list = transactions.list ?? []
        write(count: UInt64(list.count))
        guard let author = list.first?.author else { return }
        write(author.program ?? "")
        write(author.user ?? "")
        write(count: UInt64(max(0, author.process ?? 0)))
        for transaction in list { write(transaction, at: transactions.time, of: batch) }
    }

    private mutating func write(_ transaction: StoredTransaction, at time: Double, of batch: JournalBatch?) {
        var facts: UInt64 = 0
        let hasOwnTime = transaction.time.bitPattern != time.bitPattern
        let isOfBatch = batch.map { transaction.mutations?.are(of: $0) == true } ?? false
        if hasOwnTime { facts |= Facts.time }
        if isOfBatch { facts |= Facts.batch }
        if transaction.author.name != nil { facts |= Facts.name }
        if transaction.undone != nil { facts |= Facts.undone }
        if transaction.reason != nil { facts |= Facts.reason }
        if transaction.mutations != nil { facts |= Facts.mutations }
        if transaction.count != 1 { facts |= Facts.several }
        if transaction.isOwners { facts |= Facts.isOwners }
        write(count: facts)
        if hasOwnTime { write(bits: transaction.time.bitPattern) }
        if let index = origins.firstIndex(of: transaction.origin) {
            write(count: UInt64(index + 1))
        } else {
            write(count: 0)
            write(transaction.origin.rawValue)
        }
        if let name = transaction.author.name { write(name) }
        if let undone = transaction.undone { write(undone) }
        if let reason = transaction.reason { write(reason) }
        if transaction.count != 1 { write(count: transaction.count) }
        guard let mutations = transaction.mutations else { return }
        if isOfBatch {
            for mutation in mutations { write(mutation.oldValue, isWithheld: false) }
            return
        }
        write(count: UInt64(mutations.count))
        for mutation in mutations {
            write(mutation.key.description)
            write(mutation.oldValue, isWithheld: mutation.isWithheld)
            write(mutation.newValue, isWithheld: mutation.isWithheld)
        }
    }

    private mutating func write(_ value: SettingValue?, isWithheld: Bool) {
        if isWithheld {
            write(tag: JournalValueTag.unknown)
        } else if let value {
            write(value)
        } else {
            write(tag: JournalValueTag.absent)
        }
    }

    mutating func write(_ token: ChangeToken) {
        write(bits: token.history)
        write(bits: token.position)
        write(bits: token.checksum)
    }
}

extension JournalValueReader {
    /// - Parameter batch: The batch of the record, if it has one.
    mutating func readTransactions(of batch: JournalBatch?) throws(JournalError) -> JournalTransactions {
        var transactions = JournalTransactions(
            position: try readCount(), count: try readCount(), time: Double(bitPattern: try readBits()))
        guard transactions.count > 0, transactions.count <= transactions.position,
            transactions.position < JournalHeader.positionLimit, transactions.time.isFinite
        else { throw .damaged }
        let listed = try readSize()
        guard listed > 0 else { return transactions }
        let (program, user, process) = (try readText(), try readText(), try readCount())
        let author = TransactionAuthor(
            program: program.isEmpty ? nil : program, process: process == 0 ? nil : Int32(clamping: process),
            user: user.isEmpty ? nil : user)
        var list: [StoredTransaction] = []
        var sum: UInt64 = 0
        for _ in 0..<listed {
            let transaction = try readTransaction(by: author, at: transactions.time, of: batch)
            let (newSum, overflows) = sum.addingReportingOverflow(transaction.count)
            guard transaction.count > 0, !overflows else { throw .damaged }
            sum = newSum
            list.append(transaction)
        }
        guard sum == transactions.count else { throw .damaged }
        transactions.list = list
        return transactions
    }

    private mutating func readTransaction(
        by author: TransactionAuthor, at time: Double, of batch: JournalBatch?
    ) throws(JournalError) -> StoredTransaction {
        let facts = try readCount()
        let time = facts & Facts.time == 0 ? time : Double(bitPattern: try readBits())
        guard facts <= Facts.all, time.isFinite else { throw .damaged }
        let origin = try readOrigin()
        let name = facts & Facts.name == 0 ? nil : try readText()
        let undone = facts & Facts.undone == 0 ? nil : try readToken()
        let reason = facts & Facts.reason == 0 ? nil : try readText()
        let count = facts & Facts.several == 0 ? 1 : try readCount()
        var transaction = StoredTransaction(
            time: time, author: author.named(name), origin: origin, undone: undone, reason: reason, count: count,
            mutations: nil)
        transaction.isOwners = facts & Facts.isOwners != 0
        guard facts & Facts.mutations != 0 else { return transaction }
        var mutations: [StoredMutation] = []
        if facts & Facts.batch != 0 {
            for entry in batch?.entries ?? [] {
                guard case .told(let old) = try readToldValue() else { throw .damaged }
                mutations.append(StoredMutation(key: entry.key, oldValue: old, newValue: entry.value))
            }
        } else {
            for _ in 0..<(try readSize()) { mutations.append(try readMutation()) }
        }
        transaction.mutations = mutations
        return transaction
    }

    private mutating func readOrigin() throws(JournalError) -> ValueOrigin {
        guard let number = Int(exactly: try readCount()), number <= origins.count else { throw .damaged }
        // A later version may have more of them.
        return number > 0 ? origins[number - 1] : ValueOrigin(rawValue: try readText()) ?? .external
    }

    private mutating func readMutation() throws(JournalError) -> StoredMutation {
        let key = SettingKey(stored: try readText())
        let (old, new) = (try readToldValue(), try readToldValue())
        switch (old, new) {
        case (.withheld, .withheld): return StoredMutation(withheldAt: key)
        case (.told(let old), .told(let new)): return StoredMutation(key: key, oldValue: old, newValue: new)
        default: throw .damaged
        }
    }

    private enum ToldValue {
        case withheld
        case told(SettingValue?)
    }

    private mutating func readToldValue() throws(JournalError) -> ToldValue {
        switch try readTag() {
        case JournalValueTag.absent: .told(nil)
        case JournalValueTag.unknown: .withheld
        case let tag: .told(try readValue(tag))
        }
    }

    mutating func readToken() throws(JournalError) -> ChangeToken {
        ChangeToken(history: try readBits(), position: try readBits(), checksum: try readBits())
    }
}

extension [StoredMutation] {
    /// Returns whether a reader of the batch knows their keys and new values from it.
    fileprivate func are(of batch: JournalBatch) -> Bool {
        count == batch.entries.count
            && zip(self, batch.entries).allSatisfy { mutation, entry in
                !mutation.isWithheld && mutation.key == entry.key && mutation.newValue == entry.value
            }
    }
}

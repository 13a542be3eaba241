/// The changes of one append.
package struct JournalBatch: Sendable, Equatable {
    /// The store's revision that is complete with this batch.
    package var revision: UInt64
    /// The writer's name, if the whole batch has one named writer.
    package var author: String?
    package var entries: [JournalEntry]
    /// `nil` if the batch repeats earlier records.
    package var transactions: JournalTransactions?

    package init(revision: UInt64, author: String? = nil, entries: [JournalEntry] = []) {
        self.revision = revision
        self.author = author
        self.entries = entries
    }
}

extension JournalBatch {
    /// The new value of each key.
    package var values: [SettingKey: SettingValue?] {
        var values: [SettingKey: SettingValue?] = [:]
        for entry in entries { values.updateValue(entry.value, forKey: entry.key) }
        return values
    }

    /// The key whose entry takes the most bytes in a record, and their number.
    var largestEntry: (key: SettingKey, size: Int)? {
        entries.lazy.map { entry in
            var writer = JournalValueWriter()
            if let value = entry.value { writer.write(value) }
            return (entry.key, writer.bytes.count)
        }.max { $0.size < $1.size }
    }

    /// The first key whose value is nested more deeply than readers accept. A batch with one must not be journaled:
    /// readers would take its record for damage.
    package var tooDeeplyNestedKey: SettingKey? {
        entries.first { $0.value.map { !$0.isNested(within: SettingValue.depthLimit) } ?? false }?.key
    }
}

extension SettingTree {
    /// Sets the values of a batch, in order.
    mutating func apply(_ batch: JournalBatch) {
        // Most records of a journal have one value, and what it replaces is of no interest.
        if batch.entries.count == 1, batch.entries[0].key.isPlain {
            root.set(batch.entries[0].value, forKey: batch.entries[0].key.description)
        } else {
            apply(inOrder: batch.entries.lazy.map { ($0.key, $0.value) })
        }
    }
}

extension JournalBatch {
    /// An upper estimate of the bytes that the entries and the transactions need.
    var roughSize: Int {
        let listed = transactions?.list?.reduce(64) { $0 + $1.roughSize } ?? 0
        return entries.reduce(listed) { size, entry in
            size + entry.key.description.utf8.count + 16 + (entry.value?.roughSize ?? 1)
        }
    }
}

extension StoredTransaction {
    /// An upper estimate of the bytes that the journal needs for the transaction.
    package var roughSize: Int {
        (mutations ?? []).reduce(64 + (author.name?.utf8.count ?? 0)) { size, mutation in
            size + mutation.key.description.utf8.count + 16 + (mutation.oldValue?.roughSize ?? 1)
                + (mutation.newValue?.roughSize ?? 1)
        }
    }
}

extension SettingValue {
    /// An upper estimate of the bytes that the journal needs for the value.
    package var roughSize: Int {
        switch self {
        case .null, .bool, .integer, .real, .date: 16
        case .number(let text), .string(let text): 16 + text.utf8.count
        case .data(let data): 16 + data.count
        case .array(let elements): elements.reduce(16) { $0 + $1.roughSize }
        case .dictionary(let entries): entries.reduce(16) { $0 + 16 + $1.key.utf8.count + $1.value.roughSize }
        }
    }

    /// Whether dictionaries and arrays are nested at most this deep.
    @inline(never) fileprivate func isNested(within depth: Int) -> Bool {
        switch self {
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.isNested(within: depth - 1) }
        case .dictionary(let entries): depth > 0 && entries.values.allSatisfy { $0.isNested(within: depth - 1) }
        default: true
        }
    }
}

/// The values in force for this process, and how the store's knowledge differs from them.
///
/// Pure: it is given what was loaded, appended, and changed by others.
struct ValuesInForce: Sendable {
    /// Everything that is stored, as far as this process knows: the values that it has loaded, appended and received
    /// from others. While the file and the journal are at their paths they have the same values.
    var tree = SettingTree()
    /// Changes of others that have not been delivered to the store, under later batches of its own.
    private var undelivered: [ExternalChange] = []
    /// Values that this process has appended and could not sync. The store does not count them as stored, and appends
    /// them again.
    private var unacknowledged: [SettingKey: SettingValue?] = [:]

    /// The number of changes, by this process and by others.
    private var count: UInt64 = 0

    /// A position that shows whether anything has changed; only within one opened storage.
    var position: StoragePosition { StoragePosition(count) }
    var hasUndelivered: Bool { !undelivered.isEmpty }

    // MARK: Changes of others

    /// Begins with loaded values. The store gets them together with the undelivered changes.
    mutating func begin(with loaded: SettingTree) {
        tree = loaded
        undelivered.apply(to: &tree)
        count += 1
    }

    /// Adds a change that has to be delivered to the store.
    mutating func announce(_ content: ExternalChange.Content, author: String? = nil, token: ChangeToken? = nil) {
        let change = ExternalChange(content, author: author, token: token)
        change.apply(to: &tree)
        undelivered.append(change)
        count += 1
    }

    /// Adds a batch that others have appended.
    ///
    /// - Parameter history: The history of the file.
    mutating func announce(_ batch: JournalBatch, of history: UInt64?) {
        let token = history.flatMap { batch.transactions?.token(in: $0) }
        acknowledge(batch)
        if !batch.entries.isEmpty { announce(.values(batch.values), author: batch.author, token: token) }
    }

    /// Adds the changes from some values to others, which have to be delivered to the store.
    mutating func announceChanges(from old: SettingTree, to new: SettingTree) {
        let difference = TreeDifference(from: old, to: new)
        guard !difference.isEmpty else { return }
        let values = difference.batch.values
        // Unsynced values are gone where the store gets other ones.
        for key in values.keys { unacknowledged.removeValue(forKey: key) }
        announce(.values(values))
    }

    /// Puts values that were in force here over the changes of others. The values in between are never visible.
    mutating func keep(_ batch: JournalBatch) {
        let values = batch.values
        for index in undelivered.indices { undelivered[index].overwrite(values) }
        announce(.values(values))
    }

    /// Returns the changes to deliver to the store, once.
    mutating func takeUndelivered() -> [ExternalChange] {
        defer { undelivered = [] }
        return undelivered
    }

    /// - Parameter tree: The values that the store knows.
    func putUndelivered(over tree: inout SettingTree) { undelivered.apply(to: &tree) }

    // MARK: Changes of the store

    /// Returns the values at the keys of a batch until now: those that the store expects, with the changes that it does
    /// not know.
    func valuesReplaced(by batch: StorageBatch) -> [SettingKey: SettingValue] {
        var values = batch.expectedValues
        for (key, value) in unacknowledged where batch.values[key] != nil { values[key] = value }
        return undelivered.values(at: batch.values.keys, over: values)
    }

    /// Records that a batch of the store has been appended, after the changes of others.
    mutating func didAppend(_ batch: JournalBatch) {
        if !undelivered.isEmpty {
            let values = batch.values
            for index in undelivered.indices { undelivered[index].overwrite(values) }
        }
        tree.apply(batch)
        acknowledge(batch)
        count += 1
    }

    /// Records that a batch may have been appended, and could not be synced.
    mutating func didNotSync(_ batch: StorageBatch) { unacknowledged.merge(batch.values) { $1 } }

    /// Records that a batch that may have been appended before is on stable storage.
    mutating func didSync(_ batch: StorageBatch) {
        guard !unacknowledged.isEmpty else { return }
        for key in batch.values.keys { unacknowledged.removeValue(forKey: key) }
    }

    /// Records that there are newer values at and within the keys of a batch.
    private mutating func acknowledge(_ batch: JournalBatch) {
        guard !unacknowledged.isEmpty else { return }
        let keys = Set(batch.entries.map(\.key))
        unacknowledged = unacknowledged.filter { key, _ in
            !keys.contains(key) && !key.parents.contains(where: keys.contains)
        }
    }
}

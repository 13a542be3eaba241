/// The values that are in force for this process, and where the store's knowledge of them differs.
///
/// Pure: it is told what was loaded, appended, and changed by others.
struct ValuesInForce: Sendable {
    /// Everything that is stored as far as this process knows: what it has loaded, appended and been told of by others.
    /// While the file and the journal are in their places they have the same.
    var tree = SettingTree()
    /// What others have changed and the store has not been told yet, under later batches of its own.
    private var undelivered: [ExternalChange] = []
    /// What this process has appended and could not sync. The store does not count it as stored, and appends it again.
    private var unacknowledged: [SettingKey: SettingValue?] = [:]

    /// How many changes there have been, by this process and by others.
    private var count: UInt64 = 0

    /// Tells whether anything has changed; only within one opened storage.
    var position: StoragePosition { StoragePosition(count) }
    var hasUndelivered: Bool { !undelivered.isEmpty }

    // MARK: Changes of others

    /// A load has found these values. The store gets them with what it has not been told before.
    mutating func begin(with loaded: SettingTree) {
        tree = loaded
        undelivered.apply(to: &tree)
        count += 1
    }

    /// Something has changed that the store has to be told.
    mutating func announce(_ content: ExternalChange.Content, author: String? = nil, token: ChangeToken? = nil) {
        let change = ExternalChange(content, author: author, token: token)
        change.apply(to: &tree)
        undelivered.append(change)
        count += 1
    }

    /// Others have appended a batch.
    ///
    /// - Parameter history: The file's.
    mutating func announce(_ batch: JournalBatch, of history: UInt64?) {
        let token = history.flatMap { batch.transactions?.token(in: $0) }
        acknowledge(batch)
        if !batch.entries.isEmpty { announce(.values(batch.values), author: batch.author, token: token) }
    }

    /// The store has to be told what leads from some values to others.
    mutating func announceChanges(from old: SettingTree, to new: SettingTree) {
        let difference = TreeDifference(from: old, to: new)
        guard !difference.isEmpty else { return }
        let values = difference.batch.values
        // What has not been synced is gone where the store learns of something else.
        for key in values.keys { unacknowledged.removeValue(forKey: key) }
        announce(.values(values))
    }

    /// What was in force here is put over what others have changed. Nobody sees what it was in between.
    mutating func keep(_ batch: JournalBatch) {
        let values = batch.values
        for index in undelivered.indices { undelivered[index].overwrite(values) }
        announce(.values(values))
    }

    /// What the store is told, once.
    mutating func takeUndelivered() -> [ExternalChange] {
        defer { undelivered = [] }
        return undelivered
    }

    /// - Parameter tree: What the store knows.
    func putUndelivered(over tree: inout SettingTree) { undelivered.apply(to: &tree) }

    // MARK: Changes of the store

    /// What stood until now at the keys of a batch: what the store believes, with what it does not know.
    func valuesReplaced(by batch: StorageBatch) -> [SettingKey: SettingValue] {
        var values = batch.expectedValues
        for (key, value) in unacknowledged where batch.values[key] != nil { values[key] = value }
        return undelivered.values(at: batch.values.keys, over: values)
    }

    /// A batch of the store has been appended, behind what others have changed.
    mutating func didAppend(_ batch: JournalBatch) {
        if !undelivered.isEmpty {
            let values = batch.values
            for index in undelivered.indices { undelivered[index].overwrite(values) }
        }
        tree.apply(inOrder: batch.entries.lazy.map { ($0.key, $0.value) })
        acknowledge(batch)
        count += 1
    }

    /// A batch may have been appended, and could not be synced.
    mutating func didNotSync(_ batch: StorageBatch) { unacknowledged.merge(batch.values) { $1 } }

    /// A batch that may have been appended before is on stable storage.
    mutating func didSync(_ batch: StorageBatch) {
        guard !unacknowledged.isEmpty else { return }
        for key in batch.values.keys { unacknowledged.removeValue(forKey: key) }
    }

    /// There are newer values at and within the keys of a batch.
    private mutating func acknowledge(_ batch: JournalBatch) {
        guard !unacknowledged.isEmpty else { return }
        let keys = Set(batch.entries.map(\.key))
        unacknowledged = unacknowledged.filter { key, _ in
            !keys.contains(key) && !key.parents.contains(where: keys.contains)
        }
    }
}

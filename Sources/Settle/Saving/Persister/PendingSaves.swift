/// The values that were collected from the log and that the storage has not accepted.
///
/// ```
///   pending ──append──▶ stored
///      │ failed
///      ▼
///   failed ──lock, no key changed by others──▶ stored
///      │ others change one of the keys or, after a failed commit, any key
///      ▼
///   contested ──lock──▶ given up: the others' values are in force, and an issue reports it
/// ```
///
/// After a failed save, other processes may have stored newer values, and those were acknowledged. So failed values are
/// retried only under the storage's lock, after fetching all external changes, and only while their keys still hold the
/// replaced values. Values written together are saved or given up together. A commit's closure may have read any key,
/// so its values are saved only if others have changed nothing at all.
///
/// Pure. Its events: values were collected (``add(_:replacing:author:writtenTogether:transactions:keeper:)``), a batch
/// was stored (``didStore(partOf:)``, ``didStoreAll(_:unencodable:)``), an append or a commit has failed
/// (``appendFailed()``, ``commitFailed(_:)``), others have stored something
/// (``changedOutside(_:after:stored:collected:)``), and values are taken back (``giveUpContested(with:isLocked:)``,
/// ``undo(_:with:)``, ``setAside(_:)``).
struct PendingSaves: Sendable {
    /// The encoded values, the newest of each key.
    var values: [SettingKey: SettingValue?] = [:]
    /// The stored values at these keys, as far as the store has merged them.
    var replaced: [SettingKey: SettingValue] = [:]
    /// Stored values to write back over given-up ones: an append that threw may still have taken effect.
    var writtenBack: [SettingKey: SettingValue?] = [:]
    /// The batch of a failed append that may have been stored all the same. It is appended again before anything else.
    var unresolved: StorageBatch?
    /// The revision up to which it stays undecided for good whether transactions were stored: appending their batch
    /// again could overwrite newer values.
    var unknownRevision: UInt64 = 0
    /// Keeps the store alive while there are values, so that the storage is not reopened before it has them.
    private var keeper: StoreKeeper?
    private(set) var author = NamedAuthor.nobody

    // Batches.
    /// The transactions that have written the values, while the storage's limits may split their values.
    var transactions: [PendingTransaction] = []
    /// The indices of the transactions that are stored with the newest batch.
    var inBatch: Set<Int> = []
    /// The number of transactions from which on they are joined while saving fails.
    var joinedAt = Self.fewTransactions
    static let fewTransactions = 256
    /// The keys that earlier parts of the same values have stored.
    private var storedKeys: [SettingKey] = []
    /// The store is 0 until there is a batch.
    private(set) var lastBatch = StorageBatch.ID(store: 0, number: 0)
    /// The values that were pending when the commits of the group began: they stay if those are undone.
    private(set) var beforeCommits: [SettingKey: SettingValue?] = [:]
    /// The keys among them that had been written by failed commits.
    private var committedBefore: Set<SettingKey> = []
    /// The number of the last batch before that, and the newest revision that had been collected.
    private var lastBeforeCommits: (batch: UInt64, revision: UInt64) = (0, 0)
    /// The transactions in the batches that have been stored since then without having all pending values.
    private(set) var storedRevisions: Set<UInt64> = []
    /// Whether others have stored something since then, which the commits have not read.
    private(set) var isBehind = false
    /// Values to put in force again instead of undone ones.
    var restored: [SettingKey: SettingValue?] = [:]

    // Failures.
    /// Whether the last append of the values has failed.
    var isRetry = false
    /// Groups of keys that are saved or given up together.
    var units: [[SettingKey]] = []
    /// Keys last written by a commit that has failed.
    var committed: Set<SettingKey> = []
    /// Keys whose values may have to be given up.
    var contested: [SettingKey: Contest] = [:]
    /// Units that the storage refuses. They are tried again together.
    var refused: [Set<SettingKey>] = []

    /// The reason for giving up a value that could not be saved.
    enum Contest {
        /// Others have stored another value there.
        case replaced
        /// Its commit may have read what others have changed.
        case behind
    }

    var isEmpty: Bool { values.isEmpty && writtenBack.isEmpty }

    var hasRestored: Bool { !restored.isEmpty }

    /// Returns the values that an append would replace now.
    ///
    /// - Parameter changes: The changes of others that the store has not merged.
    func stored(with changes: [ExternalChange]) -> [SettingKey: SettingValue] {
        changes.values(at: values.keys, over: replaced)
    }

    /// Replaces the unsaved values in a tree with the stored ones.
    func removeUnsaved(from tree: inout SettingTree) {
        // Only write where they differ: removing a missing key would remove an empty dictionary around it.
        for key in values.keys.sorted() where tree[key] != replaced[key] { tree[key] = replaced[key] }
    }

    // MARK: Collected

    /// Adds values that were written after those it has.
    ///
    /// - Parameters:
    ///   - before: The stored values at each of the keys.
    ///   - author: The author of those that have a named one.
    ///   - writtenTogether: Groups of keys that are saved or given up together.
    ///   - transactions: The same, transaction by transaction, where the storage's limits may split them.
    mutating func add(
        _ new: [(key: SettingKey, value: SettingValue?)], replacing before: [SettingValue?], author: NamedAuthor,
        writtenTogether: [[SettingKey]], transactions: [PendingTransaction], keeper: StoreKeeper?
    ) {
        keepEarlier(below: new.lazy.map(\.key))
        removeOverwritten(by: new.lazy.map(\.key))
        self.transactions += transactions
        link(writtenTogether)
        if !committed.isEmpty { committed.subtract(new.lazy.map(\.key)) }
        if values.isEmpty { self.author = .nobody }
        self.author.add(author)
        self.keeper = self.keeper ?? keeper
        values.reserveCapacity(values.count + new.count)
        for ((key, value), before) in zip(new, before) {
            let isFirst = values.updateValue(value, forKey: key) == nil
            if isFirst, let before { replaced[key] = before }
        }
    }

    /// Makes sure that a value is stored together with the values of transactions at some keys, whatever else was
    /// written after it.
    mutating func store(_ key: SettingKey, with keys: [SettingKey]) {
        let written = transactions.indices.filter { index in transactions[index].keys.contains(where: keys.contains) }
        for index in written where !transactions[index].keys.contains(key) { transactions[index].add(key) }
        if written.isEmpty { transactions.append(PendingTransaction(keys: [key])) }
    }

    /// Records the values that the pending transactions have written at keys that are written again.
    private mutating func keepEarlier(below keys: some Sequence<SettingKey>) {
        guard !transactions.isEmpty else { return }
        let keys = Set(keys)
        for index in transactions.indices {
            for key in transactions[index].keys where keys.contains(key) {
                guard transactions[index].earlier[key] == nil, let value = values[key] else { continue }
                transactions[index].earlier.updateValue(value, forKey: key)
            }
        }
    }

    /// Removes the values at and within keys that were written later.
    private mutating func removeOverwritten(by keys: some Collection<SettingKey>) {
        guard !isEmpty else { return }
        let keys = Set(keys)
        for key in values.keys.grouped(within: keys.contains).values.joined() { remove(key) }
        for key in writtenBack.keys.grouped(within: keys.contains).values.joined() {
            writtenBack.removeValue(forKey: key)
        }
    }

    mutating func remove(_ key: SettingKey) {
        values.removeValue(forKey: key)
        replaced.removeValue(forKey: key)
    }

    /// Removes a value that was not saved, and what transactions have written there.
    ///
    /// - Parameter revision: The values written by transactions up to it stay known.
    mutating func discard(_ key: SettingKey, after revision: UInt64 = 0) {
        for index in transactions.indices where transactions[index].revision.map({ $0 > revision }) ?? true {
            transactions[index].remove(key)
        }
        remove(key)
    }

    /// Records a change of others, which the store merges now.
    mutating func merge(_ change: ExternalChange) {
        // A later append replaces what is stored now, even if the store sees no change in it.
        replaced = change.values(at: values.keys, over: replaced)
    }

    // MARK: Stored

    /// Removes the values that a batch has stored. Newer values of its keys stay.
    ///
    /// - Returns: The keys without a newer value.
    mutating func didStore(partOf batch: StorageBatch) -> [SettingKey] {
        for (key, value) in batch.values {
            if values[key] == .some(value) { values.removeValue(forKey: key) }
            if writtenBack[key] == .some(value) { writtenBack.removeValue(forKey: key) }
            guard batch.id.number > lastBeforeCommits.batch || beforeCommits[key] == .some(value) else { continue }
            beforeCommits.removeValue(forKey: key)
            committedBefore.remove(key)
        }
        let change = ExternalChange(.values(batch.values))
        replaced = change.values(at: values.keys, over: replaced.filter { values[$0.key] != nil })
        storedKeys += batch.values.keys
        storedRevisions.formUnion(inBatch.compactMap { transactions[$0].revision })
        transactions = transactions.indices.filter { !inBatch.contains($0) }.map { transactions[$0] }
        inBatch = []
        let stored = batch.values.keys.filter { values[$0] == nil }
        // Values written there from now on are independent of it.
        forget(Set(stored))
        return stored
    }

    /// Records that everything is stored.
    ///
    /// - Parameter unencodable: Keys of values that were left out.
    /// - Returns: The keys that were stored, with those of the parts before the last batch.
    mutating func didStoreAll(_ batch: StorageBatch, unencodable: [SettingKey]) -> [SettingKey] {
        let keys = storedKeys.isEmpty ? Array(batch.values.keys) : storedKeys + batch.values.keys
        values = [:]
        replaced = [:]
        writtenBack = [:]
        transactions = []
        inBatch = []
        joinedAt = Self.fewTransactions
        storedKeys = []
        author = .nobody
        keeper = nil
        isRetry = false
        units = []
        committed = []
        contested = [:]
        endCommits()
        if !refused.isEmpty { refused.removeAll { !unencodable.contains(where: $0.contains) } }
        return keys
    }

    // MARK: Batches

    /// Returns the identity of a new batch, with values or without.
    mutating func nextID() -> StorageBatch.ID {
        // Not before, because a random number takes a system call, and most stores that are opened only read.
        if lastBatch.store == 0 { lastBatch.store = .random(in: 1 ... .max) }
        lastBatch.number += 1
        return lastBatch
    }

    // MARK: Commits

    /// Records that the first commit of a group begins.
    mutating func beginCommits(after revision: UInt64) {
        (beforeCommits, committedBefore, isBehind) = (values, committed, false)
        (storedRevisions, lastBeforeCommits) = ([], (lastBatch.number, revision))
    }

    mutating func endCommits() { (beforeCommits, committedBefore) = ([:], []) }

    /// Contests failed commits, because others may have stored something that these should have read.
    mutating func contestCommits() {
        for key in committed where contested[key] == nil { contested[key] = .behind }
        isBehind = true
    }

    /// Undoes the writes of commits.
    ///
    /// - Parameter changes: The changes of others that the store has not merged.
    /// - Returns: The stored values at those keys where nothing was pending before: they are in force again.
    mutating func undo(_ keys: Set<SettingKey>, with changes: [ExternalChange]) -> [SettingKey: SettingValue?] {
        let stored = stored(with: changes)
        var inForce: [SettingKey: SettingValue?] = [:]
        for key in keys {
            let replaced = replaced[key]
            discard(key, after: lastBeforeCommits.revision)
            guard let waiting = beforeCommits[key] else {
                inForce.updateValue(stored[key], forKey: key)
                continue
            }
            values.updateValue(waiting, forKey: key)
            self.replaced[key] = replaced
            restored.updateValue(waiting, forKey: key)
            guard committedBefore.contains(key) else { continue }
            committed.insert(key)
            if isBehind, contested[key] == nil { contested[key] = .behind }
        }
        // A value that was pending before is pending again, with all that is known of it.
        forget(keys.filter { values[$0] == nil })
        return inForce
    }

    /// Returns the values to put in force again, once.
    mutating func takeRestored() -> [SettingKey: SettingValue?] {
        defer { restored = [:] }
        // Values collected since then were written later.
        return restored.filter { key, value in values[key].map { $0 == value } ?? true }
    }
}

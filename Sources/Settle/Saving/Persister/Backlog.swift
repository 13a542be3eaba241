/// The values that were collected from the log and that the storage has not accepted.
///
/// Pure: it is told what was collected, stored, given up and changed by others, and says what the next batch has.
struct Backlog: Sendable {
    /// The encoded values, with the newest of each key.
    private(set) var values: [SettingKey: SettingValue?] = [:]
    /// What is stored at these keys, as far as the store has merged it.
    private(set) var replaced: [SettingKey: SettingValue] = [:]
    /// Stored values to write back over given-up ones: an append that threw may still have taken effect.
    private(set) var writtenBack: [SettingKey: SettingValue?] = [:]
    /// The batch of a failed append that may have been stored all the same. It is appended again before anything else.
    var unresolved: StorageBatch?
    /// Up to where it is left open for good whether transactions were stored: to append their batch again could put it
    /// over newer values.
    private(set) var unknownRevision: UInt64 = 0
    /// Keeps the store alive while there are values, so that the storage is not reopened before it has them.
    private var keeper: StoreKeeper?
    private var author: String?
    /// Keys that one transaction has written, while the storage's limits may split what it wrote.
    private var writtenTogether: [WrittenTogether] = []
    /// Those that are stored with the newest batch, by their indices.
    private var inBatch: Set<Int> = []
    /// The keys that earlier parts of the same values have stored.
    private var storedKeys: [SettingKey] = []
    private var lastBatch = StorageBatch.ID(store: .random(in: .min ... .max), number: 0)
    /// The values that waited when the commits of the round began: they stay if those are undone.
    private var beforeCommits: [SettingKey: SettingValue?] = [:]
    /// Values to put in force again in place of undone ones.
    private var restored: [SettingKey: SettingValue?] = [:]

    var isEmpty: Bool { values.isEmpty && writtenBack.isEmpty }

    var hasRestored: Bool { !restored.isEmpty }

    /// All keys that an append would write.
    var keys: [SettingKey] { Array(values.keys) + writtenBack.keys }

    /// What is stored at ``keys``, as far as the store has merged it.
    var known: [SettingKey: SettingValue] { replaced.merging(writtenBack.compactMapValues { $0 }) { own, _ in own } }

    /// What an append would replace now.
    ///
    /// - Parameter changes: What others have stored, and the store has not merged.
    func stored(with changes: [ExternalChange]) -> [SettingKey: SettingValue] {
        changes.values(at: values.keys, over: replaced)
    }

    /// Takes the values out of a tree that has them, and puts in what is stored.
    func removeUnsaved(from tree: inout SettingTree) {
        // Only write where they differ: removing a missing key would remove an empty dictionary around it.
        for key in values.keys.sorted() where tree[key] != replaced[key] { tree[key] = replaced[key] }
    }

    // MARK: Collecting

    /// Adds values that were written later than those that it has.
    ///
    /// - Parameters:
    ///   - before: What is stored at each of the keys.
    ///   - author: The author of all of them, if they have one.
    ///   - writtenTogether: Keys that must not be parted, transaction by transaction.
    mutating func add(
        _ new: [(key: SettingKey, value: SettingValue?)], replacing before: [SettingValue?], author: String?,
        writtenTogether: [WrittenTogether], keeper: StoreKeeper?
    ) {
        keepEarlier(below: new.lazy.map(\.key))
        removeOverwritten(by: new.lazy.map(\.key))
        self.writtenTogether += writtenTogether
        self.author = values.isEmpty || self.author == author ? author : nil
        self.keeper = self.keeper ?? keeper
        values.reserveCapacity(values.count + new.count)
        for ((key, value), before) in zip(new, before) {
            let isFirst = values.updateValue(value, forKey: key) == nil
            if isFirst, let before { replaced[key] = before }
        }
    }

    /// Remembers what the transactions that wait have written at keys that are written again.
    private mutating func keepEarlier(below keys: some Sequence<SettingKey>) {
        guard !writtenTogether.isEmpty else { return }
        let keys = Set(keys)
        for index in writtenTogether.indices {
            for key in writtenTogether[index].keys where keys.contains(key) {
                guard writtenTogether[index].earlier[key] == nil, let value = values[key] else { continue }
                writtenTogether[index].earlier.updateValue(value, forKey: key)
            }
        }
    }

    private mutating func forgetEarlier(at key: SettingKey) {
        for index in writtenTogether.indices { writtenTogether[index].earlier.removeValue(forKey: key) }
    }

    /// Removes what stands at and within keys that were written later.
    private mutating func removeOverwritten(by keys: some Collection<SettingKey>) {
        guard !isEmpty else { return }
        let keys = Set(keys)
        for key in values.keys.grouped(within: keys.contains).values.joined() { remove(key) }
        for key in writtenBack.keys.grouped(within: keys.contains).values.joined() {
            writtenBack.removeValue(forKey: key)
        }
    }

    private mutating func remove(_ key: SettingKey) {
        values.removeValue(forKey: key)
        replaced.removeValue(forKey: key)
    }

    /// Others have stored something, which the store merges now.
    mutating func merge(_ change: ExternalChange) {
        // A later append replaces what is stored now, even if the store sees no change in it.
        replaced = change.values(at: values.keys, over: replaced)
    }

    // MARK: Batches

    /// The next batch, with as much as the storage takes at once.
    ///
    /// - Parameters:
    ///   - revision: The one that is complete with the last part.
    ///   - earlier: The one that is complete until then.
    ///   - changes: What others have stored, and the store has not merged.
    /// - Returns: Also whether the batch has everything.
    mutating func nextBatch(
        _ revision: UInt64, after earlier: UInt64, limits: StorageLimits, conditions: [StorageBatch.Condition],
        with changes: [ExternalChange]
    ) -> (StorageBatch, isWhole: Bool) {
        lastBatch.number += 1
        let all = values.merging(writtenBack) { own, _ in own }
        let part = limits.part(of: all, keepingTogether: writtenTogether)
        inBatch = part.transactions
        var batch = StorageBatch(
            id: lastBatch, revision: part.isWhole ? revision : earlier, values: part.values,
            expectedValues: stored(with: changes).merging(writtenBack.compactMapValues { $0 }) { own, _ in own },
            author: author, conditions: part.values.isEmpty ? [] : conditions)
        batch.writtenTogether = writtenTogether.map(\.keys)
        batch.plainValues = beforeCommits.filter { part.values[$0.key] != nil }
        return (batch, part.isWhole)
    }

    /// All that waits.
    func waiting(_ revision: UInt64, with changes: [ExternalChange]) -> StorageBatch {
        var batch = StorageBatch(
            revision: revision, values: values, expectedValues: stored(with: changes), author: author)
        batch.writtenTogether = writtenTogether.map(\.keys)
        return batch
    }

    /// Removes what a batch has stored. Newer values of its keys stay.
    mutating func didStore(partOf batch: StorageBatch) {
        for (key, value) in batch.values {
            if values[key] == .some(value) { values.removeValue(forKey: key) }
            if writtenBack[key] == .some(value) { writtenBack.removeValue(forKey: key) }
        }
        let change = ExternalChange(.values(batch.values))
        replaced = change.values(at: values.keys, over: replaced.filter { values[$0.key] != nil })
        storedKeys += batch.values.keys
        writtenTogether = writtenTogether.indices.filter { !inBatch.contains($0) }.map { writtenTogether[$0] }
        inBatch = []
    }

    /// Everything is stored.
    ///
    /// - Returns: The keys that were, with those of the parts before the last batch.
    mutating func didStoreAll(_ batch: StorageBatch) -> [SettingKey] {
        let keys = storedKeys.isEmpty ? Array(batch.values.keys) : storedKeys + batch.values.keys
        values = [:]
        replaced = [:]
        writtenBack = [:]
        writtenTogether = []
        inBatch = []
        storedKeys = []
        author = nil
        keeper = nil
        return keys
    }

    // MARK: Refused values

    /// The keys of the largest values, largest first.
    func largest(_ count: Int) -> [SettingKey] {
        // Skip values with a later write inside them: set aside, they would be stored after it and overwrite it.
        let outer = values.keys.grouped { values[$0] != nil }
        return values.lazy.filter { outer[$0.key] == nil }.largest(count) { $0.value?.roughSize ?? 0 }.map(\.key)
    }

    /// Whether values can be set aside: not if a later write within one of them stays, which they would overwrite once
    /// they are stored.
    func canSetAside(_ keys: Set<SettingKey>) -> Bool {
        values.keys.allSatisfy { keys.contains($0) || !$0.parents.contains(where: keys.contains) }
    }

    /// Removes a value that the storage refuses.
    ///
    /// - Returns: What is left at its key.
    mutating func setAside(_ key: SettingKey) -> SettingValue? {
        forgetEarlier(at: key)
        values.removeValue(forKey: key)
        var left = SettingTree()
        left[key] = replaced.removeValue(forKey: key)
        for outer in key.parents { if let value = values[outer] { left[outer] = value } }
        return left[key]
    }

    // MARK: Giving up

    /// The batch whose answer was lost is not appended again.
    ///
    /// - Parameter last: The newest revision that has been collected.
    mutating func leaveUnresolved(_ last: UInt64) {
        // A part has some of the transactions after its revision.
        if let batch = unresolved { unknownRevision = batch.isPart ? last : max(unknownRevision, batch.revision) }
        unresolved = nil
    }

    /// Gives a value up, and writes back what is stored if the append that failed may have replaced it.
    mutating func giveUp(_ key: SettingKey, for stored: SettingValue?, isWrittenBack: Bool) {
        if isWrittenBack { writtenBack.updateValue(stored, forKey: key) }
        forgetEarlier(at: key)
        remove(key)
    }

    /// Others have stored something at a key: nothing is written back over it.
    mutating func leave(_ key: SettingKey) {
        writtenBack.removeValue(forKey: key)
    }

    /// The first commit of a round begins.
    mutating func beginCommits() { beforeCommits = values }

    mutating func endCommits() { beforeCommits = [:] }

    /// Undoes what a commit has written at a key.
    ///
    /// - Returns: Whether nothing was waiting there before, so that what is stored is in force.
    mutating func undo(_ key: SettingKey) -> Bool {
        forgetEarlier(at: key)
        guard let waiting = beforeCommits[key] else {
            remove(key)
            return true
        }
        values.updateValue(waiting, forKey: key)
        restored.updateValue(waiting, forKey: key)
        return false
    }

    /// The values to put in force again, once.
    mutating func takeRestored() -> [SettingKey: SettingValue?] {
        defer { restored = [:] }
        // What has been collected since then was written later.
        return restored.filter { key, value in values[key].map { $0 == value } ?? true }
    }
}

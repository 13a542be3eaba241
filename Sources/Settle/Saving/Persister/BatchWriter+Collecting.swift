/// Takes changed values from the log and encodes them.
extension BatchWriter {
    /// Moves all changes to the pending values. A value that can't be encoded keeps its stored value and stays unsaved;
    /// every such error is reported, and the first one is returned.
    ///
    /// Encoders are foreign code, which must not run under the log's lock: a slow one would block every write. A
    /// failing encoder must not affect other values, or a single wrong value would keep a program from saving anything.
    func collect(retryingEncoding: Bool) -> (revision: UInt64, encodingError: SettingsError?) {
        let taken = log.collectUnsaved(retryingEncoding: retryingEncoding, inOrder: limits.mayPart)
        history.collected(taken.ownCount)
        defer { if let write = taken.unconfirmed { add(write, writtenWith: taken) } }
        guard !taken.values.isEmpty else { return (taken.revision, nil) }
        var first: SettingsError?
        var encoded: [(key: SettingKey, value: SettingValue?)] = []
        var writtenTogether = taken.writtenTogether + pending.refused.map(Array.init)
        var hasMeasured = false
        encoded.reserveCapacity(taken.values.count)
        for value in taken.values {
            // Saved before the value around it, this one would be overwritten by it.
            guard !log.hasToWait(value.slot) else {
                log.setAside(value, of: taken)
                continue
            }
            do {
                let key = value.slot.key
                let stored = try storable(value)
                encoded.append((key, stored))
                if value.slot.isMeasured {
                    value.slot.recordSize(stored?.roughSize ?? 0)
                    hasMeasured = true
                }
                guard let spellings = taken.spellings[key] else { continue }
                encoded += spellings.map { ($0, nil) }
                writtenTogether.append([key] + spellings)
            } catch {
                let issue = SettingsError.encodingFailed(
                    key: value.slot.key, isSecret: value.slot.isSecret, error)
                report(issue)
                first = first ?? issue
                log.setAside(value, of: taken)
            }
        }
        if hasMeasured { log.measure(taken) }
        // If an append has failed, the log's tree is ahead of what is stored.
        let stored = pending.values.isEmpty ? nil : mergedTree
        let before = log.storeCollected(encoded, hasOverlaps: taken.hasOverlaps)
        pending.add(
            encoded, replacing: stored.map { stored in encoded.map { stored[$0.key] } } ?? before,
            author: taken.author, writtenTogether: writtenTogether,
            transactions: limits.mayPart ? transactions(of: taken, writtenTogether) : [], keeper: taken.keeper)
        return (taken.revision, first)
    }

    /// Adds the record of an unconfirmed commit to the pending values, after the values written with it.
    private func add(_ write: UnconfirmedWrite, writtenWith taken: CollectedChanges) {
        let key = UnconfirmedCommit.key
        let before = pending.values[key] == nil ? external.migrations.record.unconfirmed : pending.replaced[key]
        let together = write.keys + [key]
        recordReason = taken.values.isEmpty ? write.reason : nil
        pending.add(
            [(key, write.commit?.record)], replacing: [before],
            author: taken.values.isEmpty ? NamedAuthor(write.author) : taken.author,
            writtenTogether: [together], transactions: [], keeper: taken.keeper)
        if limits.mayPart { pending.store(key, with: write.keys) }
    }

    /// If more than this are collected at once, those with only one key are not encoded: a program may write one
    /// setting all the time.
    private static let fewTransactions = 256

    /// Returns the collected transactions, each with the values it has written at keys that later ones have written
    /// again.
    private func transactions(of taken: CollectedChanges, _ writtenTogether: [[SettingKey]]) -> [PendingTransaction] {
        var groups = writtenTogether.map { PendingTransaction(keys: $0) }
        guard let transactions = taken.transactions else {
            if !taken.writtenTogether.isEmpty { groups[0].isOne = false }
            return groups
        }
        var last: [SettingKey: Int] = [:]
        for (index, group) in taken.writtenTogether.enumerated() { for key in group { last[key] = index } }
        for (index, (revision, details)) in transactions.enumerated() {
            groups[index].revision = revision
            guard details.hasValues, details.mutations.count > 1 || transactions.count <= Self.fewTransactions else {
                continue
            }
            for mutation in details.mutations where mutation.scope != .effective {
                let (slot, key) = (mutation.slot, mutation.slot.key)
                guard let later = last[key], later > index else { continue }
                let value = mutation.isRemoval ? nil : try? slot.encoder(mutation.new)
                if value != nil || mutation.isRemoval { groups[index].earlier.updateValue(value, forKey: key) }
            }
        }
        return groups
    }

    /// Encodes a value and checks that the storage can hold it: an unsupported value would fail its whole batch.
    private func storable(_ value: UnsavedSetting) throws -> SettingValue? {
        guard let encoded = try value.encoded() else { return nil }
        try storage.check(encoded, at: value.slot.key)
        if let limit = limits.bytes, encoded.roughSize > limit {
            throw StorageError.tooLarge(encoded.roughSize, limit: limit)
        }
        return encoded
    }
}

/// Takes changed values from the log, encodes them, and appends them to the storage as one batch.
extension Persister {
    /// Appends everything that the storage has not accepted yet, and syncs if `durability` asks for it.
    ///
    /// - Parameters:
    ///   - retryingEncoding: Whether to retry values that could not be encoded before.
    ///   - verifying: Whether to call the storage even if nothing is left to append, because a caller relies on its
    ///     answer.
    /// - Returns: Whether the storage has said that everything is on stable storage.
    /// - Throws: What the storage throws, or else the first error of a value that can't be encoded.
    @discardableResult
    func append(
        _ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool = false
    ) async throws -> Bool {
        guard failedSaves.isRetry, exclusion == .none else {
            return try await appendNow(durability, retryingEncoding: retryingEncoding, verifying: verifying)
        }
        // Since the failed append, others may have stored newer values: merge them first, and let nothing get between
        // them and the next attempt.
        do throws(StorageError) {
            try await exclude()
        } catch {
            throw appendFailed(error)
        }
        do {
            let isSynced = try await appendNow(durability, retryingEncoding: retryingEncoding, verifying: verifying)
            await include()
            return isSynced
        } catch {
            await include()
            throw error
        }
    }

    /// - Precondition: If an append has failed before, others are excluded and their changes have been fetched.
    private func appendNow(
        _ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool
    ) async throws -> Bool {
        let waiting = log.measureWaits(time).waiting
        let oldest = log.lock.withLock { log.unsaved.oldest }
        var (revision, encodingError) = encodeUnsaved(retryingEncoding)
        if failedSaves.isRetry { settleFailedSaves() }
        let hasWork =
            !unsaved.isEmpty || !writtenBack.isEmpty || mustRepeat || (durability == .synced && hasUnsynced)
            || verifying
        var isSynced = false
        if hasWork {
            if durability == .synced { log.lock.withLock { log.unsaved.begin() } }
            let outcome = try await appendUnsaved(revision, durability, changedAt: oldest)
            encodingError = encodingError ?? outcome.refused
            isSynced = outcome.receipt.durability == .synced
            if !isSynced { hasUnsynced = true }
            mustFetch = mustFetch || outcome.receipt.hasExternalChanges
        }
        let now = time.elapsed()
        machine.appended(now: now)
        if isSynced || durability == .synced { synced(revision, waiting, now: now) }
        if mustFetch { await deliver() } else { deliverFetched() }
        if let encodingError { throw encodingError }
        return isSynced
    }

    /// - Returns: What the storage says, and the error of a value that was left out, if any.
    private func appendUnsaved(
        _ revision: UInt64, _ durability: StorageDurability, changedAt oldest: Double?
    ) async throws -> (receipt: StorageReceipt, refused: SettingsError?) {
        var refused: SettingsError?
        var largest: ArraySlice<SettingKey> = []
        var refusals = 0
        try await resolve(durability)
        while true {
            let (batch, isWhole) = nextBatch(revision)
            do {
                let receipt = try await appendRepeatedly(batch, durability)
                if accepted(batch, receipt, isWhole: isWhole) { return (receipt, refused) }
            } catch {
                refusals += 1
                guard error.code == .unsupportedValue, refusals <= Self.refusalLimit else { throw appendFailed(error) }
                // Values around another one become candidates only once the inner one has been set aside.
                if largest.isEmpty { largest = largestUnsaved }
                guard let key = largest.popFirst(),
                    let issue = setAside(key, for: error, upTo: revision, changedAt: oldest ?? time.now())
                else { throw appendFailed(error) }
                refused = refused ?? issue
            }
        }
    }

    /// Appends the batch whose answer was lost again. Only the storage can tell whether it was stored.
    private func resolve(_ durability: StorageDurability) async throws {
        guard let batch = unresolved else { return }
        do {
            _ = try await appendOnce(batch, durability)
        } catch {
            let isKnownNotToBeStored = error.code == .conflict || error.code == .leaseLost
            guard isKnownNotToBeStored else { throw appendFailed(error) }
            unresolved = nil
            return
        }
        unresolved = nil
        for index in undelivered.indices { undelivered[index].overwrite(batch.values) }
        removeStored(batch)
    }

    /// Removes what a batch has stored from what is to be saved. Newer values of its keys stay.
    private func removeStored(_ batch: StorageBatch) {
        for (key, value) in batch.values {
            if unsaved[key] == .some(value) { unsaved.removeValue(forKey: key) }
            if writtenBack[key] == .some(value) { writtenBack.removeValue(forKey: key) }
        }
        let change = ExternalChange(.values(batch.values))
        replaced = change.values(at: unsaved.keys, over: replaced.filter { unsaved[$0.key] != nil })
        storedKeys += batch.values.keys
    }

    /// - Returns: Also whether the batch has everything that is unsaved.
    private func nextBatch(_ revision: UInt64) -> (StorageBatch, isWhole: Bool) {
        lastBatch.number += 1
        let all = unsaved.merging(writtenBack) { own, _ in own }
        let values = limits.part(of: all, keepingTogether: writtenTogether)
        // A revision is stored with the last of its parts.
        let isWhole = values.count == all.count
        let batch = StorageBatch(
            id: lastBatch, revision: isWhole ? revision : lastHandedOver, values: values,
            expectedValues: storedUnderUnsaved.merging(writtenBack.compactMapValues { $0 }) { own, _ in own },
            author: unsavedAuthor, conditions: values.isEmpty ? [] : exclusion.conditions)
        return (batch, isWhole)
    }

    private func appendOnce(
        _ batch: StorageBatch, _ durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try await call { [storage] () throws(StorageError) in try await storage.append(batch, durability: durability) }
    }

    /// Appends a batch, and once more if the answer was lost: by its identity the storage knows not to store it twice.
    private func appendRepeatedly(
        _ batch: StorageBatch, _ durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        do {
            return try await appendOnce(batch, durability)
        } catch {
            guard error.isOutcomeUnknown else { throw error }
            do {
                return try await appendOnce(batch, durability)
            } catch {
                // Only these say that neither attempt has stored anything: a repetition that did not arrive says
                // nothing of the first one.
                guard error.code != .conflict, error.code != .leaseLost else { throw error }
                unresolved = batch
                var unknown = error
                unknown.isOutcomeUnknown = true
                throw unknown
            }
        }
    }

    private func appendFailed(_ error: StorageError) -> SettingsError {
        if error.code == .conflict {
            mustFetch = true
            // No failure: the commits run again.
            if joined.contains(where: { $0.revision != nil }) { return .storage(error) }
        }
        mustRepeat = true
        if !unsaved.isEmpty { failedSaves.appendFailed() }
        machine.failed(now: time.elapsed())
        let issue = failed(error)
        // The values restored in place of those given up are in force now, even if the next append is far away.
        deliverFetched()
        return issue
    }

    // MARK: Encoding

    /// Takes all changes into `unsaved`. A value that can't be encoded keeps its stored value and stays unsaved; every
    /// such error is reported, and the first one is returned.
    func encodeUnsaved(_ retryingEncoding: Bool) -> (revision: UInt64, encodingError: SettingsError?) {
        let taken = log.collectUnsaved(retryingEncoding: retryingEncoding)
        guard !taken.values.isEmpty else { return (taken.revision, nil) }
        var first: SettingsError?
        var encoded: [(key: SettingKey, value: SettingValue?)] = []
        var writtenTogether = taken.writtenTogether
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
        let stored = unsaved.isEmpty ? nil : mergedTree
        let before = log.storeCollected(encoded, hasOverlaps: taken.hasOverlaps)
        dropReplaced(by: encoded.lazy.map(\.key))
        failedSaves.take(encoded.lazy.map(\.key), writtenTogether: writtenTogether)
        if limits != StorageLimits() { self.writtenTogether += writtenTogether }
        unsavedAuthor = unsaved.isEmpty || unsavedAuthor == taken.author ? taken.author : nil
        unsaved.reserveCapacity(unsaved.count + encoded.count)
        for ((key, value), before) in zip(encoded, before) {
            let isFirst = unsaved.updateValue(value, forKey: key) == nil
            // What the failed append did not reach is still stored.
            if isFirst, let old = stored.map({ $0[key] }) ?? before { replaced[key] = old }
        }
        unsavedKeeper = unsavedKeeper ?? taken.keeper
        return (taken.revision, first)
    }

    /// Drops unsaved values at and within the newly taken keys: the new values were written later and replace them.
    private func dropReplaced(by keys: some Collection<SettingKey>) {
        guard !unsaved.isEmpty || !writtenBack.isEmpty else { return }
        let keys = Set(keys)
        for key in unsaved.keys.grouped(within: keys.contains).values.joined() {
            unsaved.removeValue(forKey: key)
            replaced.removeValue(forKey: key)
        }
        for key in writtenBack.keys.grouped(within: keys.contains).values.joined() {
            writtenBack.removeValue(forKey: key)
        }
    }

    /// Encodes a value and checks that the storage can hold it: an unsupported value would fail its whole batch.
    private func storable(_ value: UnsavedSetting) throws -> SettingValue? {
        guard let encoded = try value.encoded() else { return nil }
        try storage.check(encoded, at: value.slot.key)
        if let limit = limits.bytes, encoded.roughSize > limit {
            throw StorageError(.unsupportedValue, "It needs \(encoded.roughSize) bytes, and the limit is \(limit).")
        }
        return encoded
    }

    /// The storage has stored a batch.
    ///
    /// - Returns: False if there is more to be saved.
    private func accepted(_ batch: StorageBatch, _ receipt: StorageReceipt, isWhole: Bool) -> Bool {
        if !receipt.hasExternalChanges { position = receipt.position }
        // Nothing came between what the closures have read and this batch, nor between this and the next one.
        if exclusion.mayConflict, !batch.values.isEmpty { exclusion = .position(receipt.position) }
        for index in undelivered.indices { undelivered[index].overwrite(batch.values) }
        guard isWhole else {
            removeStored(batch)
            return false
        }
        lastHandedOver = batch.revision
        unsaved = [:]
        replaced = [:]
        writtenTogether = []
        unsavedAuthor = nil
        unsavedKeeper = nil
        writtenBack = [:]
        failedSaves.handedOver()
        mustRepeat = false
        log.markHandedOver(storedKeys.isEmpty ? Array(batch.values.keys) : storedKeys + batch.values.keys)
        storedKeys = []
        return true
    }
}

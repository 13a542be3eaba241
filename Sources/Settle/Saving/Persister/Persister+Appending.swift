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
        if failedSaves.isRetry {
            if let conflict = conflictOfCommits() {
                leaveUnresolved()
                throw appendFailed(conflict)
            }
            settleFailedSaves()
        }
        let hasWork =
            !backlog.isEmpty || mustRepeat || (durability == .synced && hasUnsynced)
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
        if hasWork { isFeedBehind = true }
        let now = time.elapsed()
        machine.appended(now: now)
        if isSynced || durability == .synced { synced(revision, waiting, now: now) }
        if mustFetch { await deliver() } else { deliverFetched() }
        await tellFollowers()
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
        if let refusal = migrations.refusal, !backlog.isEmpty { throw appendFailed(refusal) }
        while true {
            var (batch, isWhole) = backlog.nextBatch(
                revision, after: lastHandedOver, limits: limits,
                conditions: exclusion.conditions + migrations.conditions + fences, with: undelivered)
            if isWhole { list(upTo: revision, in: &batch) }
            batch.isPart = !isWhole
            batch.hasCommits = joined.contains { $0.revision != nil }
            do {
                let receipt = try await appendRepeatedly(batch, durability)
                if accepted(batch, receipt, isWhole: isWhole) { return (receipt, refused) }
            } catch {
                refusals += 1
                guard error.code == .unsupportedValue, refusals <= Self.refusalLimit else { throw appendFailed(error) }
                while let key = largest.first, backlog.values[key] == nil { largest.removeFirst() }
                // Values around another one become candidates only once the inner one has been set aside.
                if largest.isEmpty { largest = backlog.largest(Self.refusalLimit)[...] }
                guard let key = largest.popFirst(),
                    let issue = setAside(key, for: error, upTo: revision, changedAt: oldest ?? time.now())
                else { throw appendFailed(error) }
                refused = refused ?? issue
            }
        }
    }

    /// Appends the batch whose answer was lost again. Only the storage can tell whether it was stored.
    private func resolve(_ durability: StorageDurability) async throws {
        guard let batch = backlog.unresolved else { return }
        // The batch has conditions of its own: only then do the closures know all that came before it.
        let isRead = exclusion == .position(position)
        do {
            let receipt = try await appendOnce(batch, durability)
            if !receipt.hasExternalChanges {
                if isRead { exclusion = .position(receipt.position) }
                position = receipt.position
            }
            mustFetch = mustFetch || receipt.hasExternalChanges
            didList(batch, at: receipt.token)
            appended(at: receipt.token)
        } catch {
            let isKnownNotToBeStored = error.code == .conflict || error.code == .leaseLost
            guard isKnownNotToBeStored else {
                // The round's commits wait behind it, and are not undone.
                var unknown = error
                unknown.isOutcomeUnknown = true
                throw appendFailed(unknown)
            }
            backlog.unresolved = nil
            return
        }
        backlog.unresolved = nil
        for index in undelivered.indices { undelivered[index].overwrite(batch.values) }
        didStore(partOf: batch)
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
                backlog.unresolved = batch
                var unknown = error
                unknown.isOutcomeUnknown = true
                throw unknown
            }
        }
    }

    private func appendFailed(_ failure: StorageError) -> SettingsError {
        var error = failure
        let mayBeStored = joined.contains { $0.revision.map { $0 <= backlog.unknownRevision } ?? false }
        if mayBeStored { error.isOutcomeUnknown = true }
        if error.code == .migrated { mustFetch = true }
        if error.code == .conflict {
            mustFetch = true
            // No failure: the commits run again.
            if joined.contains(where: { $0.revision != nil }) { return .storage(error) }
        }
        mustRepeat = true
        if !backlog.values.isEmpty { failedSaves.appendFailed() }
        machine.failed(now: time.elapsed())
        let issue = failed(error)
        // The values restored in place of those given up are in force now, even if the next append is far away.
        deliverFetched()
        return issue
    }

    // MARK: Encoding

    /// Takes all changes into the backlog. A value that can't be encoded keeps its stored value and stays unsaved; every
    /// such error is reported, and the first one is returned.
    func encodeUnsaved(_ retryingEncoding: Bool) -> (revision: UInt64, encodingError: SettingsError?) {
        let taken = log.collectUnsaved(retryingEncoding: retryingEncoding)
        collectedCount = taken.ownCount
        guard !taken.values.isEmpty else { return (taken.revision, nil) }
        var first: SettingsError?
        var encoded: [(key: SettingKey, value: SettingValue?)] = []
        var writtenTogether = taken.writtenTogether + failedSaves.setAside.map(Array.init)
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
        let stored = backlog.values.isEmpty ? nil : mergedTree
        let before = log.storeCollected(encoded, hasOverlaps: taken.hasOverlaps)
        failedSaves.take(encoded.lazy.map(\.key), writtenTogether: writtenTogether)
        backlog.add(
            encoded, replacing: stored.map { stored in encoded.map { stored[$0.key] } } ?? before, author: taken.author,
            writtenTogether: limits.mayPart ? transactions(of: taken, writtenTogether) : [], keeper: taken.keeper)
        return (taken.revision, first)
    }

    /// The collected transactions, each with what it has written at keys that later ones of them have written again.
    private func transactions(of taken: CollectedChanges, _ writtenTogether: [[SettingKey]]) -> [WrittenTogether] {
        var groups = writtenTogether.map { WrittenTogether(keys: $0) }
        guard let transactions = taken.transactions else {
            if !taken.writtenTogether.isEmpty { groups[0].isOne = false }
            return groups
        }
        var last: [SettingKey: Int] = [:]
        for (index, group) in taken.writtenTogether.enumerated() { for key in group { last[key] = index } }
        for (index, details) in transactions.enumerated() where details.hasValues {
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
            didStore(partOf: batch)
            return false
        }
        if !batch.values.isEmpty { didList(batch, at: receipt.token) }
        mustFetch = mustFetch || receipt.hasExternalChanges
        appended(at: receipt.token)
        lastHandedOver = batch.revision
        failedSaves.handedOver(keeping: log.lock.withLock { log.unsaved.unencodable.map(\.slot.key) })
        mustRepeat = false
        log.markHandedOver(backlog.didStoreAll(batch))
        return true
    }

    /// A batch with some of the values has been stored: from now on what others store at their keys counts.
    func didStore(partOf batch: StorageBatch) {
        backlog.didStore(partOf: batch)
        let stored = batch.values.keys.filter { backlog.values[$0] == nil }
        log.handOver(stored)
        // What is written there from now on does not stand or fall with it.
        failedSaves.forget(Set(stored))
    }
}

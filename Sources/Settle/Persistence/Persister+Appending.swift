/// Takes changed values from the log, encodes them, and appends them to the storage as one batch.
extension Persister {
    /// Appends everything that the storage has not accepted yet, and syncs if `durability` asks for it.
    ///
    /// - Parameters:
    ///   - retryingEncoding: Whether to retry values that could not be encoded before.
    ///   - verifying: Whether to call the storage even if nothing is left to append, because a caller relies on its
    ///     answer.
    /// - Throws: What the storage throws, or else the first error of a value that can't be encoded.
    func append(_ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool = false) throws {
        guard failedSaves.isRetry, !isStorageLocked else {
            return try appendNow(durability, retryingEncoding: retryingEncoding, verifying: verifying)
        }
        // Since the failed append, others may have stored newer values: fetch them under the lock before trying again.
        do throws(StorageError) {
            try storage.lock()
            do throws(StorageError) {
                try fetchExternalChanges()
            } catch {
                storage.unlock()
                throw error
            }
        } catch {
            throw appendFailed(error)
        }
        defer { storage.unlock() }
        try appendNow(durability, retryingEncoding: retryingEncoding, verifying: verifying)
    }

    /// - Precondition: If an append has failed before, the storage is locked and external changes have been fetched.
    private func appendNow(_ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool) throws {
        let waiting = durability == .synced ? log.look(time).waiting : []
        let oldest = log.lock.withLock { log.oldestUnsaved }
        var (revision, encodingError) = take(retryingEncoding)
        if failedSaves.isRetry { settleFailedSaves() }
        let hasWork =
            !unsaved.isEmpty || !writtenBack.isEmpty || mustRepeat || (durability == .synced && hasUnstable)
            || verifying
        if hasWork {
            if durability == .synced { log.savingBegins() }
            if let refused = try appendUnsaved(revision, durability, changedAt: oldest) {
                encodingError = encodingError ?? refused
            }
            if durability == .buffered { hasUnstable = true }
        }
        let now = time.elapsed()
        machine.appended(now: now)
        if durability == .synced { stabilized(revision, waiting, now: now) }
        if hasWork || !undelivered.isEmpty { deliver() }
        if let encodingError { throw encodingError }
    }

    /// - Returns: The error of a value that was left out, if any.
    private func appendUnsaved(
        _ revision: UInt64, _ durability: StorageDurability, changedAt oldest: Double?
    ) throws -> SettingsError? {
        var refused: SettingsError?
        var largest: ArraySlice<SettingKey> = []
        var attempts = 0
        while true {
            let batch = StorageBatch(
                revision: revision, values: unsaved.merging(writtenBack) { own, _ in own },
                expectedValues: storedUnderUnsaved.merging(writtenBack.compactMapValues { $0 }) { own, _ in own },
                author: unsavedAuthor)
            do {
                try storage.append(batch, durability: durability)
                handedOver(batch)
                return refused
            } catch {
                attempts += 1
                guard error.code == .unsupportedValue, attempts <= Self.refusalLimit else { throw appendFailed(error) }
                // Values around another one become candidates only once the inner one has been set aside.
                if largest.isEmpty { largest = largestUnsaved }
                guard let key = largest.popFirst(),
                    let issue = setAside(key, for: error, upTo: revision, changedAt: oldest ?? time.now())
                else { throw appendFailed(error) }
                refused = refused ?? issue
            }
        }
    }

    private func appendFailed(_ error: StorageError) -> SettingsError {
        mustRepeat = true
        if !unsaved.isEmpty { failedSaves.appendFailed() }
        machine.failed(now: time.elapsed())
        let issue = failed(error)
        // The values restored in place of those given up are in force now, even if the next append is far away.
        deliverFetched()
        return issue
    }

    // MARK: Taking values

    /// Takes all changes into `unsaved`. A value that can't be encoded keeps its stored value and stays unsaved; every
    /// such error is reported, and the first one is returned.
    func take(_ retryingEncoding: Bool) -> (revision: UInt64, encodingError: SettingsError?) {
        let taken = log.takeUnsaved(retryingEncoding: retryingEncoding)
        guard !taken.values.isEmpty else { return (taken.revision, nil) }
        var first: SettingsError?
        var encoded: [(key: SettingKey, value: SettingValue?)] = []
        var writtenTogether = taken.writtenTogether
        var hasMeasured = false
        encoded.reserveCapacity(taken.values.count)
        for value in taken.values {
            // Saved before the value around it, this one would be overwritten by it.
            guard !log.hasToWait(value.slot) else {
                log.noteUnencodable(value, of: taken)
                continue
            }
            do {
                let key = value.slot.key
                let stored = try storable(value)
                encoded.append((key, stored))
                if value.slot.isMeasured {
                    value.slot.noteSize(stored?.roughSize ?? 0)
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
                log.noteUnencodable(value, of: taken)
            }
        }
        if hasMeasured { log.measure(taken) }
        // If an append has failed, the log's tree is ahead of what is stored.
        let stored = unsaved.isEmpty ? nil : mergedTree
        let before = log.noteTaken(encoded, hasOverlaps: taken.hasOverlaps)
        dropReplaced(by: encoded.lazy.map(\.key))
        failedSaves.take(encoded.lazy.map(\.key), writtenTogether: writtenTogether)
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
    private func storable(_ value: MutationLog.Unsaved) throws -> SettingValue? {
        guard let encoded = try value.encoded() else { return nil }
        try storage.check(encoded, at: value.slot.key)
        return encoded
    }

    private func handedOver(_ batch: StorageBatch) {
        for index in undelivered.indices { undelivered[index].overwrite(batch.values) }
        lastHandedOver = batch.revision
        unsaved = [:]
        replaced = [:]
        unsavedAuthor = nil
        unsavedKeeper = nil
        writtenBack = [:]
        failedSaves.handedOver()
        mustRepeat = false
        log.noteHandedOver(batch.values.keys)
    }
}

/// Handing values to the storage: what has changed is taken from the log, encoded, and appended as one batch.
extension Persister {
    /// Hands everything to the storage that it has not taken yet, and makes it stable if that is asked for.
    ///
    /// - Parameters:
    ///   - retryingEncoding: Whether values that could not be encoded before are tried again.
    ///   - verifying: Whether the storage is asked although it has been given everything, because somebody relies on it.
    /// - Throws: What the storage throws, or else the first error of a value that can't be encoded.
    func append(_ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool = false) throws {
        guard failedSaves.isRetry, !isStorageLocked else {
            return try appendNow(durability, retryingEncoding: retryingEncoding, verifying: verifying)
        }
        // Others may have stored newer values since the append failed that is repeated now.
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

    /// - Precondition: If an append has failed before, the storage is locked and what others have stored is fetched.
    private func appendNow(_ durability: StorageDurability, retryingEncoding: Bool, verifying: Bool) throws {
        let waiting = durability == .stable ? log.look(time).waiting : []
        let oldest = log.lock.withLock { log.oldestUnsaved }
        var (revision, encodingError) = take(retryingEncoding)
        if failedSaves.isRetry { settleFailedSaves() }
        let hasWork =
            !unsaved.isEmpty || !writtenBack.isEmpty || mustRepeat || (durability == .stable && hasUnstable)
            || verifying
        if hasWork {
            if durability == .stable { log.savingBegins() }
            if let refused = try appendUnsaved(revision, durability, changedAt: oldest) {
                encodingError = encodingError ?? refused
            }
            if durability == .process { hasUnstable = true }
        }
        let now = time.elapsed()
        machine.appended(now: now)
        if durability == .stable { stabilized(revision, waiting, now: now) }
        if hasWork || !undelivered.isEmpty { deliver() }
        if let encodingError { throw encodingError }
    }

    /// - Returns: Why a value was left out, if one was.
    private func appendUnsaved(
        _ revision: UInt64, _ durability: StorageDurability, changedAt oldest: Double?
    ) throws -> SettingsError? {
        var refused: SettingsError?
        var largest: ArraySlice<SettingKey> = []
        var attempts = 0
        while true {
            let batch = StorageBatch(
                revision: revision, values: unsaved.merging(writtenBack) { own, _ in own },
                replaced: storedUnderUnsaved.merging(writtenBack.compactMapValues { $0 }) { own, _ in own },
                writer: unsavedWriter)
            do {
                try storage.append(batch, durability: durability)
                handedOver(batch)
                return refused
            } catch {
                attempts += 1
                guard error.code == .unsupportedValue, attempts <= Self.refusalLimit else { throw appendFailed(error) }
                // What lies around another value is a candidate once that has been taken out.
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
        // What stands in the place of given up values is in force from now on, whenever the next append succeeds.
        deliverFetched()
        return issue
    }

    // MARK: Taking values

    /// Takes everything that has changed into `unsaved`. A value that can't be encoded keeps its stored value and counts as
    /// unsaved; the first such error is returned, all are reported.
    func take(_ retryingEncoding: Bool) -> (revision: UInt64, encodingError: SettingsError?) {
        let taken = log.takeUnsaved(retryingEncoding: retryingEncoding)
        guard !taken.values.isEmpty else { return (taken.revision, nil) }
        var first: SettingsError?
        var encoded: [(key: SettingKey, value: SettingValue?)] = []
        var writtenTogether = taken.writtenTogether
        var hasMeasured = false
        encoded.reserveCapacity(taken.values.count)
        for value in taken.values {
            // Saved first, it would be replaced by what is around it.
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
        // What an append did not reach is in the log's tree.
        let stored = unsaved.isEmpty ? nil : takenIn
        let before = log.noteTaken(encoded, hasOverlaps: taken.hasOverlaps)
        dropReplaced(by: encoded.lazy.map(\.key))
        failedSaves.take(encoded.lazy.map(\.key), writtenTogether: writtenTogether)
        unsavedWriter = unsaved.isEmpty || unsavedWriter == taken.writer ? taken.writer : nil
        unsaved.reserveCapacity(unsaved.count + encoded.count)
        for ((key, value), before) in zip(encoded, before) {
            let isFirst = unsaved.updateValue(value, forKey: key) == nil
            // What an append did not reach is stored still.
            if isFirst, let old = stored.map({ $0[key] }) ?? before { replaced[key] = old }
        }
        unsavedKeeper = unsavedKeeper ?? taken.keeper
        return (taken.revision, first)
    }

    /// Drops what an append did not reach within keys that are taken now: these were written later, and replace it.
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

    /// The encoded value, if the storage can hold it. Otherwise it would keep all others of its batch from being stored.
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
        unsavedWriter = nil
        unsavedKeeper = nil
        writtenBack = [:]
        failedSaves.handedOver()
        mustRepeat = false
        log.noteHandedOver(batch.values.keys)
    }
}

/// The persister's side of the log.
extension MutationLog {
    /// A changed setting, as of one revision.
    struct Unsaved {
        let slot: SettingSlot
        let box: AnySettingBox
        /// `nil` if the key is to be removed from the storage.
        let value: (any Sendable)?

        func encoded() throws -> SettingValue? {
            try value.map(slot.encoder)
        }
    }

    /// Everything to be saved, as of one revision.
    struct Taken {
        /// The revisions since the last take.
        var revisions: ClosedRange<UInt64>
        var revision: UInt64 { revisions.upperBound }
        var values: [Unsaved]
        /// Keeps the store open until the storage has the values.
        var keeper: StoreKeeper?
        /// Whether some of the keys may lie within others.
        var hasOverlaps = false
        /// Keys that were written together, transaction by transaction, and so must be stored together.
        var writtenTogether: [[SettingKey]]
        /// What is stored at other spellings, by the settings' keys: removed once the values are stored.
        var spellings: [SettingKey: [SettingKey]] = [:]
        /// The writer, if all of it has a single named one.
        var author: String?
        /// Wall time of the oldest change in it.
        var oldest: Double?
    }

    /// How many transactions to examine for a single writer.
    private static let authorSearchLimit: UInt64 = 16

    /// - Parameter retryingEncoding: Whether to take values again that could not be encoded. Those that were written
    ///   since are taken in any case.
    func takeUnsaved(retryingEncoding: Bool) -> Taken {
        lock.withLock {
            if !unencodable.isEmpty { takeUnencodable(retryingEncoding) }
            let hasOverlaps = hasOverlaps
            orderOverlaps()
            keysBeingSaved.reserveCapacity(keysBeingSaved.count + dirty.count)
            let values = dirty.map { slot, box in
                slot.isDirty = false
                slot.lastGood = nil
                keysBeingSaved.insert(slot.key)
                return Unsaved(slot: slot, box: box, value: slot.isStored ? box.committedValue : nil)
            }
            dirty.removeAll(keepingCapacity: true)
            var taken = Taken(
                revisions: min(lastTaken &+ 1, revision)...revision, values: values, keeper: dirtyKeeper.take(),
                hasOverlaps: hasOverlaps,
                writtenTogether: values.count > 1 ? writtenTogether(values) : [],
                author: values.isEmpty ? nil : authorSinceLastTake(),
                oldest: oldestUnsaved)
            for value in values where slots.hasNotedSpellings {
                let spellings = storedSpellings(of: value.slot)
                if !spellings.isEmpty { taken.spellings[value.slot.key] = spellings }
            }
            for index in schedules.indices { schedules[index].taken() }
            if unencodable.isEmpty { oldestUnencodable = nil }
            lastTaken = revision
            return taken
        }
    }

    /// Under the lock.
    private func takeUnencodable(_ isRetrying: Bool) {
        unencodable.removeAll { slot, box in
            if slot.isDirty { return true }
            guard isRetrying else { return false }
            noteDirty(slot, box)
            hasOverlaps = true
            return true
        }
    }

    /// The keys that transactions since the last take have written together. Under the lock.
    private func writtenTogether(_ values: [Unsaved]) -> [[SettingKey]] {
        // Transactions dropped from the log may have written any of the keys together.
        guard lastTaken &+ 1 >= ring.oldest else { return [values.map(\.slot.key)] }
        guard ring.newest > lastTaken else { return [] }
        var groups: [[SettingKey]] = []
        for revision in lastTaken &+ 1...ring.newest {
            guard let details = ring.details(revision), details.mutations.count > 1, details.origin != .external
            else { continue }
            groups.append(details.mutations.compactMap { $0.slot.schedule == nil ? nil : $0.slot.key })
        }
        return groups
    }

    /// The writer of everything since the last take, if there is a single named one. Under the lock.
    private func authorSinceLastTake() -> String? {
        let count = ring.newest &- lastTaken
        guard count > 0, count <= Self.authorSearchLimit else { return nil }
        var author: String?
        for revision in lastTaken &+ 1...ring.newest {
            // External changes are stored already.
            guard let details = ring.details(revision) else { return nil }
            if details.origin == .external { continue }
            guard let name = details.author, author == nil || author == name else { return nil }
            author = name
        }
        return author
    }

    /// Keeps the taken values for groups that are opened before the storage has them.
    ///
    /// - Returns: The value stored at each of these keys before, as far as the store knows.
    func noteTaken(_ values: [(key: SettingKey, value: SettingValue?)], hasOverlaps: Bool) -> [SettingValue?] {
        lock.withLock {
            if !values.isEmpty { hasTakenValues = true }
            guard hasOverlaps else { return tree.apply(inOrder: values) }
            let before = values.map { tree[$0.key] }
            tree.apply(inOrder: values)
            return before
        }
    }

    /// Measures transactions whose values' sizes are now known. Those beyond the memory limit leave the log.
    func measure(_ taken: Taken) {
        let dropped = lock.withLock { ring.measure(taken.revisions) }
        dropped.release()
    }

    /// Records that a taken value could not be encoded. Its key counts as unsaved.
    func noteUnencodable(_ value: Unsaved, of taken: Taken) {
        lock.withLock {
            unencodable.append((value.slot, value.box))
            undurable.add(value.slot, writtenIn: taken.revisions, of: ring)
            if let oldest = taken.oldest { oldestUnencodable = min(oldest, oldestUnencodable ?? oldest) }
        }
    }

    /// Records that a value that was taken up to a revision can't be stored after all. Its key counts as unsaved.
    func takeBack(
        _ slot: SettingSlot, _ box: AnySettingBox, leaving stored: SettingValue?, upTo revision: UInt64,
        changedAt oldest: Double
    ) {
        let taken = lock.withLock {
            tree[slot.key] = stored
            return Taken(
                revisions: min(durableRevision &+ 1, revision)...revision, values: [], writtenTogether: [],
                author: nil, oldest: oldest)
        }
        noteUnencodable(Unsaved(slot: slot, box: box, value: nil), of: taken)
    }

    /// Records that the storage has these values: external changes from now on come after them.
    func noteHandedOver(_ keys: some Collection<SettingKey>) {
        var saved: Set<SettingKey> = []
        let forgotten = lock.withLock {
            if !keys.isEmpty { counts.appends &+= 1 }
            // All taken values are handed over together, except those that can't be encoded.
            swap(&saved, &keysBeingSaved)
            for (slot, _) in unencodable { keysBeingSaved.insert(slot.key) }
            return forgetUndeclared(keys)
        }
        // Release these outside the lock.
        withExtendedLifetime((forgotten, saved)) {}
    }

    /// Removes stored keys that no group declares from the index: from now on the tree has them. Under the lock.
    private func forgetUndeclared(_ keys: some Collection<SettingKey>) -> [AnySettingBox] {
        guard slots.hasUndeclared else { return [] }
        return keys.compactMap { key in
            guard let slot = slots.placed(at: key), slot.declaration == nil, !slot.isInTransaction, !isUnsaved(slot)
            else {
                return nil
            }
            return forget(slot)
        }
    }

    /// Removes a setting from the index. Under the lock.
    ///
    /// - Returns: Its box, to be released by the caller. Slot and box reference each other, and the box references the
    ///   store.
    private func forget(_ slot: SettingSlot) -> AnySettingBox? {
        slots.remove(slot)
        return slot.takeBox()
    }

    /// Removes settings from the index that an ended transaction has written by key and that have nothing to save.
    func forgetIdle(_ settings: [SettingSlot]) -> [AnySettingBox] {
        lock.withLock {
            settings.compactMap { slot in
                slot.isInTransaction = false
                guard slots.placed(at: slot.key) === slot else { return slot.takeBox() }
                // A value that is never saved is nowhere else; its removal matters only where something is stored.
                let isGone = slot.schedule == nil && !slot.isStored
                guard !isUnsaved(slot) || isGone && tree[slot.key] == nil && slots.around(slot.key).isEmpty else {
                    return nil
                }
                return forget(slot)
            }
        }
    }

    func savingBegins() {
        lock.withLock {
            if case .idle = saveState { saveState = .saving }
        }
    }

    /// Records that everything up to a revision is on stable storage, and wakes the subscribers of durable changes.
    func saveSucceeded(_ revision: UInt64) -> PendingWakeUps {
        lock.withLock {
            saveState = .idle
            if hasTakenValues { counts.saves &+= 1 }
            hasTakenValues = false
            for index in schedules.indices { schedules[index].stabilized() }
            if undurable.keep(unencodable.lazy.map(\.slot), of: ring) { wake(durability) }
            // With no unsaved values, all later transactions are external or kept in memory only.
            becomeDurable(hasWaiting ? revision : ring.newest)
            return wakeUps()
        }
    }

    /// Records that everything up to a revision is on stable storage. Under the lock.
    func becomeDurable(_ revision: UInt64) {
        guard revision > durableRevision else { return }
        durableRevision = revision
        wake(durability)
    }

    func saveFailed(_ error: SettingsError, at time: Double) {
        lock.withLock {
            counts.failedSaves &+= 1
            if case .failing(let since, _) = saveState {
                saveState = .failing(since: since, error)
            } else {
                saveState = .failing(since: time, error)
            }
        }
    }

    /// Records that the storage's resting form could not be brought up to date.
    ///
    /// - Parameter hasFailed: False if the storage has postponed it.
    func checkpointFailed(_ error: SettingsError, at time: Double, hasFailed: Bool = true) {
        lock.withLock {
            if hasFailed { counts.failedCheckpoints &+= 1 }
            restingFormBehind = (restingFormBehind?.since ?? time, error)
        }
    }

    /// Records that the storage's resting form has everything.
    func checkpointSucceeded() {
        lock.withLock { restingFormBehind = nil }
    }

    /// Whether the storage does not have a setting's newest value yet. Under the lock.
    func isUnsaved(_ slot: SettingSlot) -> Bool {
        slot.isDirty || keysBeingSaved.contains(slot.key)
    }

    /// Whether anything has changed since values were last taken for saving.
    var hasUnsaved: Bool { lock.withLock { !dirty.isEmpty } }

    /// Whether any change is not on stable storage, including those that can't be encoded.
    var hasWaitingChanges: Bool { lock.withLock { hasWaiting || !unencodable.isEmpty } }

    /// Whether any change is not on stable storage. Under the lock.
    var hasWaiting: Bool {
        for schedule in schedules where schedule.isWaiting { return true }
        return false
    }

    /// Wall time of the oldest change that is not on stable storage. Under the lock.
    var oldestUnsaved: Double? {
        var oldest = oldestUnencodable
        for schedule in schedules where schedule.isWaiting {
            oldest = min(schedule.firstChange, oldest ?? schedule.firstChange)
        }
        return oldest
    }

    /// Marks the persister as awake before it looks: writers need not wake it.
    func attend() {
        lock.withLock { attention = .awake }
    }

    /// What waits to be saved, and for how long. From now on writers wake the persister for anything new.
    func look(_ time: TimeSource) -> WaitingChanges {
        let now = time.elapsed()
        let wallTime = time.now()
        return lock.withLock {
            var found = WaitingChanges()
            for index in schedules.indices {
                guard let waiting = schedules[index].measureWait(now: now, wallTime: wallTime) else { continue }
                found.waiting.append(waiting)
                if schedules[index].hasNew { found.hasNew = true }
            }
            attention = found.hasNew ? .paced : .asleep
            return found
        }
    }
}

/// The persister's side of the log.
extension MutationLog {
    /// Whether anything has been published, or could not be stored, since the last collection.
    var hasUncollected: Bool {
        lock.withLock {
            changes.revision != unsaved.lastCollected || unsaved.hasUnaccepted || unconfirmed.hasUnsaved
        }
    }

    /// - Parameter retryingEncoding: Whether to collect values again that could not be encoded. Those that were written
    ///   since are collected in any case.
    func collectUnsaved(retryingEncoding: Bool, inOrder: Bool) -> CollectedChanges {
        lock.withLock {
            let last = unsaved.lastCollected
            var collected = unsaved.collect(upTo: changes.revision, retryingEncoding: retryingEncoding)
            collected.ownCount = changes.ownCount
            collected.unconfirmed = unconfirmed.takeUnsaved()
            guard !collected.values.isEmpty else { return collected }
            collected.author = changes.author(after: last)
            if inOrder || collected.values.count > 1 {
                // Transactions dropped from the log may have written any of the keys together.
                collected.transactions = changes.transactions(after: last, ofKeys: inOrder ? 1 : 2)
                collected.writtenTogether =
                    collected.transactions?.map(\.details.savedKeys) ?? [collected.values.map(\.slot.key)]
            }
            for value in collected.values where stored.slots.hasOtherSpellings {
                let spellings = stored.storedSpellings(of: value.slot)
                if !spellings.isEmpty { collected.spellings[value.slot.key] = spellings }
            }
            return collected
        }
    }

    /// Puts the collected values into the tree, for groups that are opened before the storage has them.
    ///
    /// - Returns: The value stored at each of these keys before, as far as the store knows.
    func storeCollected(_ values: [(key: SettingKey, value: SettingValue?)], hasOverlaps: Bool) -> [SettingValue?] {
        lock.withLock {
            if !values.isEmpty { unsaved.hasCollectedValues = true }
            guard hasOverlaps else { return stored.tree.apply(inOrder: values) }
            let before = values.map { stored.tree[$0.key] }
            stored.tree.apply(inOrder: values)
            return before
        }
    }

    /// Measures transactions whose values' sizes are now known. Those beyond the memory limit leave the log.
    func measure(_ collected: CollectedChanges) {
        let dropped = lock.withLock { changes.ring.measure(collected.revisions) }
        dropped.release()
    }

    /// Sets a collected value aside that could not be encoded. Its key counts as unsaved.
    func setAside(_ value: UnsavedSetting, of collected: CollectedChanges) {
        lock.withLock { setAside(value.slot, value.box, writtenIn: collected.revisions, changedAt: collected.oldest) }
    }

    /// Records that a value that was collected up to a revision can't be stored after all. Its key counts as unsaved.
    func revert(
        _ slot: SettingSlot, _ box: AnySettingBox, leaving value: SettingValue?, upTo revision: UInt64,
        changedAt oldest: Double
    ) {
        lock.withLock {
            stored.tree[slot.key] = value
            let revisions = min(changes.durableRevision &+ 1, revision)...revision
            setAside(slot, box, writtenIn: revisions, changedAt: oldest)
        }
    }

    private func setAside(
        _ slot: SettingSlot, _ box: AnySettingBox, writtenIn revisions: ClosedRange<UInt64>, changedAt oldest: Double?
    ) {
        unsaved.setAside(slot, box, changedAt: oldest)
        changes.exclude(slot, writtenIn: revisions)
    }

    /// Records that the storage has these values: external changes from now on come after them.
    func markHandedOver(_ keys: some Collection<SettingKey>) {
        let released = lock.withLock {
            let saved = unsaved.handOver(isAppend: !keys.isEmpty)
            return (saved, forgetUndeclared(keys))
        }
        // Release these outside the lock.
        withExtendedLifetime(released) {}
    }

    /// Records that some of the collected values are in the storage.
    func handOver(_ keys: [SettingKey]) { lock.withLock { unsaved.handOver(keys) } }

    /// Removes stored keys that no group declares from the index: from now on the tree has them. Requires the lock.
    private func forgetUndeclared(_ keys: some Collection<SettingKey>) -> [AnySettingBox] {
        guard stored.slots.hasUndeclared else { return [] }
        return keys.compactMap { key in
            guard let slot = stored.slots.placed(at: key), slot.declaration == nil, !slot.isInTransaction,
                !unsaved.isUnsaved(slot)
            else { return nil }
            return stored.remove(slot)
        }
    }

    /// Removes settings from the index that an ended transaction has written by key and that have nothing to save.
    func forgetIdle(_ settings: [SettingSlot]) -> [AnySettingBox] {
        lock.withLock {
            settings.compactMap { slot in
                slot.isInTransaction = false
                guard stored.slots.placed(at: slot.key) === slot else { return slot.removeBox() }
                // A value that is never saved exists only here; its removal matters only where something is stored.
                let isGone = slot.schedule == nil && !slot.isStored
                let isNowhere = isGone && stored.tree[slot.key] == nil && stored.slots.around(slot.key).isEmpty
                return unsaved.isUnsaved(slot) && !isNowhere ? nil : stored.remove(slot)
            }
        }
    }

    /// Drops values that the storage has not accepted and that will not be saved any more.
    ///
    /// - Parameter revision: The storage has accepted everything up to here.
    func giveUp(_ keys: Set<SettingKey>, after revision: UInt64, isSuperseded: Bool = true) {
        lock.withLock {
            changes.giveUp(keys, writtenAfter: revision, upTo: unsaved.lastCollected)
            unsaved.giveUp(keys, isSuperseded: isSuperseded)
        }
    }

    // MARK: The storage's history

    /// Records that the storage has the store's own transactions of some revisions.
    func place(_ revisions: ClosedRange<UInt64>, at token: ChangeToken, count: UInt64) {
        lock.withLock { changes.place(revisions, at: token, count: count, isOwn: true) }
    }

    /// Returns the store's own transactions of some revisions, oldest first: as many of the newest as the log still
    /// has, without those whose values were given up.
    func ownTransactions(_ revisions: ClosedRange<UInt64>) -> [LoggedTransaction] {
        lock.withLock {
            var result: [LoggedTransaction] = []
            var revision = max(revisions.lowerBound, changes.ring.oldest)
            while revision <= revisions.upperBound {
                if changes.ring.isOwn(revision), let entry = changes.ring[revision] {
                    let isGivenUp = changes.undurable.givenUp.contains(revision)
                    result.append(LoggedTransaction(revision: revision, entry: entry, isGivenUp: isGivenUp))
                }
                revision &+= 1
            }
            return result
        }
    }

    /// Adds entries to the feed, which followers of the storage's history share, and wakes them.
    ///
    /// - Parameter token: The token after which the feed begins again; `nil` if it continues.
    func feed(_ entries: [HistoryFeedEntry], after token: ChangeToken? = nil) -> PendingWakeUps {
        let (wakeUps, dropped) = lock.withLock {
            var dropped = token.map { feed.begin(at: $0) } ?? []
            dropped += feed.append(entries)
            wakeHistory()
            return (changes.waking.wakeUps(), dropped)
        }
        // Release the values outside of the lock.
        withExtendedLifetime(dropped) {}
        return wakeUps
    }

    /// Wakes followers that could not read the storage's history, so that they try again.
    func feedAgain() -> PendingWakeUps {
        lock.withLock {
            historyAttempts += 1
            wakeHistory()
            return changes.waking.wakeUps()
        }
    }

    /// Runs `body`, which must not wait, and then wakes once all whom its steps, or writers meanwhile, would have woken.
    func wakingOnce(_ body: () -> Void) {
        lock.withLock { changes.waking.hold() }
        body()
        lock.withLock { changes.waking.endHold() }.resumeTasks(of: self)
    }

    /// Requires the lock.
    private func wakeHistory() {
        historyVersion &+= 1
        changes.waking.add(history)
        changes.wakeFollowers()
    }

    // MARK: Results of saving

    /// Records that everything up to a revision is on stable storage, and wakes the subscribers of durable changes.
    func saveSucceeded(_ revision: UInt64) -> PendingWakeUps {
        lock.withLock {
            unsaved.succeed()
            // With no unsaved values, all later transactions are external or kept in memory only.
            changes.becomeDurable(
                unsaved.hasWaiting ? revision : changes.revision, without: unsaved.unencodable.lazy.map(\.slot))
            return changes.waking.wakeUps()
        }
    }

    func saveFailed(_ error: SettingsError, at time: Double) {
        lock.withLock { unsaved.fail(error, at: time) }
    }

    /// - Parameter hasFailed: False if the storage has postponed it.
    func checkpointFailed(_ error: SettingsError, at time: Double, hasFailed: Bool = true) {
        lock.withLock { unsaved.fallBehind(error, at: time, hasFailed: hasFailed) }
    }

    // MARK: Unsaved changes

    /// Releases the values that could not be saved until the store was gone: their settings hold the store.
    func forgetUnencodable() {
        let forgotten = lock.withLock { unsaved.forgetUnencodable() }
        withExtendedLifetime(forgotten) {}
    }

    /// Whether any change is not on stable storage, including those that can't be encoded.
    var hasWaitingChanges: Bool { lock.withLock { unsaved.hasWaiting || !unsaved.unencodable.isEmpty } }

    /// Returns whether a setting has to wait for a key around it that was written before and could not be saved yet.
    func hasToWait(_ slot: SettingSlot) -> Bool {
        guard slot.declaration == nil else { return false }
        return lock.withLock { unsaved.unencodable.contains { $0.slot.key.contains(slot.key) } }
    }

    /// Returns the keys that a transaction has changed; `nil` if the log no longer has it.
    func keys(writtenAt revision: UInt64) -> [SettingKey]? {
        lock.withLock { changes.ring[revision]?.details.mutations.map(\.slot.key) }
    }

    /// Returns the keys that nothing has written since a transaction.
    func withoutLaterWrites(_ keys: [SettingKey], writtenAt revision: UInt64) -> [SettingKey] {
        lock.withLock { keys.filter { stored.slots[$0].map { $0.lastRevision <= revision } ?? false } }
    }

    /// Measures the unsaved changes and how long they have waited. From now on writers wake the persister for new
    /// changes.
    func measureWaits(_ time: TimeSource) -> WaitingChanges {
        let (now, wallTime) = (time.elapsed(), time.now())
        return lock.withLock { unsaved.measureWaits(now: now, wallTime: wallTime) }
    }
}

/// A transaction of the store itself that the log still has.
struct LoggedTransaction {
    let revision: UInt64
    let entry: LogEntry
    /// Whether its values will never be stored.
    let isGivenUp: Bool
}

/// Commits that begin only if nothing has been stored since a place in the history.
extension StoreCore {
    func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [SettingKey]?, author: String?, confirming: CommitConfirmation?,
        _ body: () throws -> Result
    ) async throws -> Result {
        let keys = keys?.flatMap(storedKeys)
        let seen = LockedValue<UInt64>(0)
        let prepare: Persister.Preparation = { [weak self] persister in
            guard let self else { return }
            // First what may be appended while the history is read.
            let (revision, conflict) = unappended(among: keys, since: nil)
            if let conflict { throw SettingsError.conflict(conflict) }
            try await persister.history.checkNothingStored(after: token, at: keys)
            seen.withLock { $0 = revision }
        }
        return try await commit(author: author, confirming: confirming, preparing: prepare) {
            if let conflict = unappended(among: keys, since: seen.withLock { $0 }).conflict {
                throw SettingsError.conflict(conflict)
            }
            return try body()
        }
    }

    /// The keys under which the value of a key may be stored: its place and, if it is declared, its other spellings.
    func storedKeys(for key: SettingKey) -> [SettingKey] {
        log.lock.withLock {
            let place = log.stored.resolved(key)
            return log.stored.slots.declared(as: place).map(log.stored.slots.places) ?? [place]
        }
    }

    /// What this store has published at, around or within some keys, or anywhere, and what has no place in the history
    /// yet.
    ///
    /// - Parameter revision: What was published later counts also if it has been appended already.
    /// - Returns: Also the newest revision.
    private func unappended(
        among keys: [SettingKey]?, since revision: UInt64?
    ) -> (revision: UInt64, conflict: CommitConflict?) {
        log.lock.withLock {
            let newest = log.changes.revision
            var changed = log.unappendedSlots(among: keys)
            if let revision, revision < newest { changed += log.slotsWritten(after: revision, among: keys) }
            guard let last = changed.max(by: { $0.lastRevision < $1.lastRevision }) else { return (newest, nil) }
            let name = log.changes.ring[last.lastRevision]?.details.author
            let conflict = CommitConflict(
                keys: Set(changed.map(\.key)).sorted().map(\.description), token: nil, author: .current.named(name))
            return (newest, conflict)
        }
    }
}

/// Each looks only at what the keys name, or at what has been written: a store may have far more settings than both.
extension MutationLog {
    /// The settings whose newest values the storage does not have yet. What can't be encoded it will never have. Under
    /// the lock.
    fileprivate func unappendedSlots(among keys: [SettingKey]?) -> [SettingSlot] {
        let unencodable = Set(unsaved.unencodable.lazy.map { ObjectIdentifier($0.slot) })
        let candidates =
            keys.map { keys in keys.flatMap(stored.slots.overlapping) }
            ?? unsaved.unsavedKeys.compactMap(stored.slots.placed)
        return candidates.filter { slot in
            slot.schedule != nil && unsaved.isUnsaved(slot) && !unencodable.contains(ObjectIdentifier(slot))
        }
    }

    /// The settings that this store's own transactions have written since a revision. Under the lock.
    fileprivate func slotsWritten(after revision: UInt64, among keys: [SettingKey]?) -> [SettingSlot] {
        guard revision + 1 >= changes.ring.oldest else {
            // What the log has forgotten may have been its own.
            let candidates = keys.map { keys in keys.flatMap(stored.slots.overlapping) } ?? Array(stored.slots.all)
            return candidates.filter { $0.schedule != nil && $0.lastRevision > revision }
        }
        let wanted = keys.map(OverlappingKeys.init)
        var found: [SettingSlot] = []
        for revision in revision + 1...changes.revision where changes.ring.isOwn(revision) {
            for mutation in changes.ring[revision]?.details.mutations ?? [] {
                let slot = mutation.slot
                guard slot.schedule != nil, mutation.scope != .effective, wanted?.contains(slot.key) ?? true else {
                    continue
                }
                found.append(slot)
            }
        }
        return found
    }
}

/// Some keys with those around and within them.
struct OverlappingKeys {
    private let keys: Set<SettingKey>
    private let outer: Set<SettingKey>

    init(_ keys: some Collection<SettingKey>) {
        self.keys = Set(keys)
        outer = Set(keys.flatMap(\.parents))
    }

    func contains(_ key: SettingKey) -> Bool {
        keys.contains(key) || outer.contains(key) || key.parents.contains(where: keys.contains)
    }
}

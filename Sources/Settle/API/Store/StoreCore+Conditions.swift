/// Commits that begin only if nothing has been stored since a token.
extension StoreCore {
    func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [SettingKey]?, author: String?, confirming: CommitConfirmation?,
        _ body: () throws -> Result
    ) async throws -> Result {
        let keys = keys?.flatMap(storedKeys)
        let seen = LockedValue<UInt64>(0)
        let prepare: Persister.Preparation = { [weak self] persister in
            guard let self else { return }
            // First the writes that may be appended while the history is read.
            let (revision, conflict) = unappended(among: keys, since: nil)
            if let conflict { throw SettingsError.conflict(conflict) }
            try await persister.history.checkNothingStored(after: token, at: keys)
            seen.withLock { $0 = revision }
        }
        return try await commit(author: author, confirming: confirming, preparing: prepare) {
            if let conflict = unappended(among: keys, since: seen.withLock { $0 }).conflict {
                throw SettingsError.conflict(conflict)
            }
            // What was looked at counts as read.
            if let keys { keys.forEach(recordRead) } else { recordRead(of: nil) }
            return try body()
        }
    }

    /// Throws a conflict if this store has published changes at, around or within some keys, or anywhere, that have no
    /// token in the history yet. A storage without a history never gives them one, so nothing is checked there.
    func checkNothingUnappended(among keys: [SettingKey]?) throws(SettingsError) {
        guard persister.storage is any HistoryStorage else { return }
        let conflict = unappended(among: keys?.flatMap(storedKeys), since: nil).conflict
        if let conflict { throw .conflict(conflict) }
    }

    /// Returns the keys under which the value of a key may be stored: its resolved key and, if it is declared, its
    /// other spellings. A group also has the spellings of its settings that do not lie within it.
    func storedKeys(for key: SettingKey) -> [SettingKey] {
        log.lock.withLock {
            let place = log.stored.resolved(key)
            if let slot = log.stored.slots.declared(as: place) { return log.stored.slots.places(of: slot) }
            let inner = log.stored.declared(at: key).flatMap(log.stored.slots.places)
            return [place] + inner.filter { !place.contains($0) }
        }
    }

    /// Finds the changes that this store has published at, around or within some keys, or anywhere, and that have no
    /// token in the history yet.
    ///
    /// - Parameter revision: Changes published later count even if they have been appended already.
    /// - Returns: The conflict, if any, and the newest revision.
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

/// Each function examines only the named keys, or only the written settings: a store may have far more settings than
/// both.
extension MutationLog {
    /// Returns the settings whose newest values the storage does not have yet, except values that can't be encoded,
    /// which it will never have. Requires the lock.
    fileprivate func unappendedSlots(among keys: [SettingKey]?) -> [SettingSlot] {
        let unencodable = Set(unsaved.unencodable.lazy.map { ObjectIdentifier($0.slot) })
        let candidates =
            keys.map { keys in keys.flatMap(stored.slots.overlapping) }
            ?? unsaved.unsavedKeys.compactMap(stored.slots.placed)
        return candidates.filter { slot in
            slot.schedule != nil && unsaved.isUnsaved(slot) && !unencodable.contains(ObjectIdentifier(slot))
        }
    }

    /// Returns the settings that this store's own transactions have written since a revision. Requires the lock.
    fileprivate func slotsWritten(after revision: UInt64, among keys: [SettingKey]?) -> [SettingSlot] {
        guard revision + 1 >= changes.ring.oldest else {
            // The transactions that the log has forgotten may have been its own.
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

/// A set of keys, with the keys around and within them.
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

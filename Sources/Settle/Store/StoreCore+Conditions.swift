/// Commits that begin only if nothing has been stored since a place in the history.
extension StoreCore {
    func commit<Result: Sendable>(
        ifUnchangedSince token: ChangeToken, keys: [SettingKey]?, by author: String?, _ body: () throws -> Result
    ) async throws -> Result {
        let seen = LockedValue<UInt64>(0)
        let prepare: Persister.Preparation = { [weak self] persister in
            guard let self else { return }
            // First what may be appended while the history is read.
            let (revision, conflict) = unappended(among: keys, since: nil)
            if let conflict { throw SettingsError.conflict(conflict) }
            try await persister.checkNothingStored(after: token, at: keys)
            seen.withLock { $0 = revision }
        }
        return try await commit(by: author, preparing: prepare) {
            if let conflict = unappended(among: keys, since: seen.withLock { $0 }).conflict {
                throw SettingsError.conflict(conflict)
            }
            return try body()
        }.result
    }

    /// The keys under which the value of a key may be stored: its place and, if it is declared, its other spellings.
    func storedKeys(for key: SettingKey) -> [SettingKey] {
        log.lock.withLock {
            let place = log.stored.resolved(key)
            guard let slot = log.stored.slots.declared(as: place) else { return [place] }
            return [slot.key] + log.stored.slots.otherSpellings(of: slot)
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
            var slots = log.unappendedSlots
            if let revision, revision < newest { slots += log.slotsWritten(after: revision) }
            let changed = slots.filter { slot in
                keys?.contains { $0 == slot.key || $0.isWithin(slot.key) || slot.key.isWithin($0) } ?? true
            }
            guard let last = changed.max(by: { $0.lastRevision < $1.lastRevision }) else { return (newest, nil) }
            let name = log.changes.ring[last.lastRevision]?.details.author
            let conflict = CommitConflict(
                keys: Set(changed.map(\.key)).sorted().map(\.description), token: nil, author: .current.named(name))
            return (newest, conflict)
        }
    }
}

extension MutationLog {
    /// The settings whose newest values the storage does not have yet. What can't be encoded it will never have. Under
    /// the lock.
    fileprivate var unappendedSlots: [SettingSlot] {
        stored.slots.all.filter { slot in
            slot.schedule != nil && unsaved.isUnsaved(slot) && !unsaved.unencodable.contains { $0.slot === slot }
        }
    }

    /// The settings that this store's own transactions have written since a revision. Under the lock.
    fileprivate func slotsWritten(after revision: UInt64) -> [SettingSlot] {
        stored.slots.all.filter { slot in
            guard slot.schedule != nil, slot.lastRevision > revision else { return false }
            // What the log has forgotten may have been its own.
            if revision + 1 < changes.ring.oldest { return true }
            return (revision + 1...slot.lastRevision).contains { revision in
                changes.ring.isOwn(revision) && changes.ring.concerns(revision, slot)
            }
        }
    }
}

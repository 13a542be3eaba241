extension SettingsStore {
    /// Every change of the store, from now on; see ``Changes``.
    public var changes: Changes { changes(.every) }

    /// The store's changes, from now on; the parameters are those of ``SettingsGroup/changes(_:durableOnly:)``.
    public func changes(_ delivery: Delivery, durableOnly: Bool = false) -> Changes {
        Changes(ChangeCursor(on: log.root, of: log, delivery: delivery, durableOnly: durableOnly))
    }

    /// The store's changes since a revision of this store. Revisions begin anew each time a store is opened; to go on
    /// after a restart, use ``changes(after:durableOnly:)``.
    ///
    /// - Throws: ``SettingsError`` if the store's log no longer holds everything since then.
    public func changes(
        since revision: UInt64, delivery: Delivery = .every, durableOnly: Bool = false
    ) throws -> Changes {
        try .since(revision, on: log.root, of: log, delivery: delivery, durableOnly: durableOnly)
    }

    /// Everything that has been stored after a place, and what will be: across restarts, and by all processes; see
    /// ``ResumedChanges``.
    ///
    /// - Parameters:
    ///   - token: What the subscriber has seen last, such as the ``Change/token`` of a change or the store's
    ///     ``token``. `nil` to begin with a snapshot of all values.
    ///   - durableOnly: Whether to deliver a change only once it is on stable storage; by default, once it survives the
    ///     end of this process.
    public func changes(after token: ChangeToken?, durableOnly: Bool = false) -> ResumedChanges {
        log.beginFollowing()
        return ResumedChanges(of: core, on: log.root, after: token, durableOnly: durableOnly)
    }

    /// The place of the newest transaction in the history of the file, or of another storage, that the store's values
    /// have; `nil` if there is none, such as for a file that has never been written. What this store has written and not
    /// appended yet comes after it. Read it before the values, to write later what builds on them; see
    /// ``commit(ifUnchangedSince:keys:by:_:)``.
    public var token: ChangeToken? { core.persister.place }
}

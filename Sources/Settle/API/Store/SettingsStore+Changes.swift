extension SettingsStore {
    /// Every change of the store, from now on; see ``Changes``.
    public var changes: Changes { changes(.every) }

    /// Delivers the store's changes, from now on; the parameters are those of
    /// ``SettingsGroup/changes(_:durableOnly:)``.
    public func changes(_ delivery: Change.Delivery, durableOnly: Bool = false) -> Changes {
        Changes(ChangeCursor(on: log.root, of: log, delivery: delivery, durableOnly: durableOnly))
    }

    /// Delivers the store's changes since a revision of this store. Revisions start again each time a store is opened;
    /// to resume after a restart, use ``History/changes(after:durableOnly:)``.
    ///
    /// - Throws: ``SettingsError`` if the store's log no longer holds everything since then.
    public func changes(
        afterRevision revision: UInt64, delivery: Change.Delivery = .every, durableOnly: Bool = false
    ) throws -> Changes {
        try .since(revision, on: log.root, of: log, delivery: delivery, durableOnly: durableOnly)
    }

}

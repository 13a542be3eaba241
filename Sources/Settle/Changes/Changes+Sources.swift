extension SettingsGroup {
    /// Every change of the group and of the groups within it, from now on; see ``Changes``.
    public var changes: Changes { changes(.every) }

    /// The group's changes, from now on.
    ///
    /// - Parameters:
    ///   - delivery: Every change, or only the newest one whenever the subscriber asks.
    ///   - durableOnly: Whether to deliver a change only once it is on stable storage. That leaves out changes of
    ///     settings that are kept in memory only.
    public func changes(_ delivery: Delivery, durableOnly: Bool = false) -> Changes {
        let (log, topic) = source
        return Changes(ChangeCursor(on: topic, of: log, delivery: delivery, durableOnly: durableOnly))
    }

    /// The group's changes since a revision, such as the last one that a client has seen.
    ///
    /// - Throws: ``SettingsError`` if the store's log no longer holds everything since then.
    public func changes(
        since revision: UInt64, delivery: Delivery = .every, durableOnly: Bool = false
    ) throws -> Changes {
        let (log, topic) = source
        return try .since(revision, on: topic, of: log, delivery: delivery, durableOnly: durableOnly)
    }

    private var source: (log: MutationLog, topic: Topic) {
        if let store, let topic = GroupLayout.topic(of: self) { return (store.log, topic) }
        // A group without settings never changes.
        let log = MutationLog(historyLimit: 1, historyCostLimit: 0)
        return (log, log.root)
    }
}

extension SettingReference {
    /// Every change of the setting, from now on; see ``Changes``.
    public var changes: Changes { changes(.every) }

    /// The setting's changes, from now on; the parameters are those of ``SettingsGroup/changes(_:durableOnly:)``.
    public func changes(_ delivery: Delivery, durableOnly: Bool = false) -> Changes {
        let place = place
        return Changes(
            ChangeCursor(on: place.slot, of: place.core.log, delivery: delivery, durableOnly: durableOnly))
    }

    /// The setting's changes since a revision.
    ///
    /// - Throws: ``SettingsError`` if the store's log no longer holds everything since then.
    public func changes(
        since revision: UInt64, delivery: Delivery = .every, durableOnly: Bool = false
    ) throws -> Changes {
        let place = place
        return try .since(
            revision, on: place.slot, of: place.core.log, delivery: delivery, durableOnly: durableOnly)
    }
}

extension SettingsStore {
    /// Every change of the store, from now on; see ``Changes``.
    public var changes: Changes { changes(.every) }

    /// The store's changes, from now on; the parameters are those of ``SettingsGroup/changes(_:durableOnly:)``.
    public func changes(_ delivery: Delivery, durableOnly: Bool = false) -> Changes {
        Changes(ChangeCursor(on: log.root, of: log, delivery: delivery, durableOnly: durableOnly))
    }

    /// The store's changes since a revision of this store. Revisions begin anew each time a store is opened; see
    /// ``SettingsStore/Configuration/initialRevision``.
    ///
    /// - Throws: ``SettingsError`` if the store's log no longer holds everything since then.
    public func changes(
        since revision: UInt64, delivery: Delivery = .every, durableOnly: Bool = false
    ) throws -> Changes {
        try .since(revision, on: log.root, of: log, delivery: delivery, durableOnly: durableOnly)
    }
}

extension Changes {
    fileprivate static func since(
        _ revision: UInt64, on topic: Topic, of log: MutationLog, delivery: Delivery, durableOnly: Bool
    ) throws -> Changes {
        let cursor = ChangeCursor(
            on: topic, of: log, since: revision, delivery: delivery, durableOnly: durableOnly)
        guard let cursor else {
            let (oldest, newest) = log.lock.withLock { (log.ring.oldest, log.ring.newest) }
            throw SettingsError(
                .revisionUnavailable,
                "The changes since revision \(revision) can't be told: the log holds those from \(oldest) to \(newest). "
                    + "Read the current values and start from there.")
        }
        return Changes(cursor)
    }
}

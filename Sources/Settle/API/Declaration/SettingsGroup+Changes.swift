extension SettingsGroup {
    /// Every change of the group and of the groups within it, from now on; see ``Changes``.
    public var changes: Changes { changes(.every) }

    /// Delivers the group's changes, from now on.
    ///
    /// - Parameters:
    ///   - delivery: Every change, or only the newest one on each request of the subscriber.
    ///   - durableOnly: Whether to deliver a change only once it is on stable storage. That leaves out changes of
    ///     settings with the policy ``SavePolicy/memoryOnly``.
    public func changes(_ delivery: Change.Delivery, durableOnly: Bool = false) -> Changes {
        let (log, topic) = source
        return Changes(ChangeCursor(on: topic, of: log, delivery: delivery, durableOnly: durableOnly))
    }

    /// Delivers the group's changes since a revision, such as the last one that a client has seen.
    ///
    /// - Throws: ``SettingsError`` if the store's log no longer holds everything since then.
    public func changes(
        afterRevision revision: UInt64, delivery: Change.Delivery = .every, durableOnly: Bool = false
    ) throws -> Changes {
        let (log, topic) = source
        return try .since(revision, on: topic, of: log, delivery: delivery, durableOnly: durableOnly)
    }

    /// Delivers everything stored in the group after a token, across restarts and by all processes; see
    /// ``SettingsStore/History/changes(after:durableOnly:)``. A group that no store has opened delivers nothing.
    public func changes(after token: ChangeToken?, durableOnly: Bool = false) -> ResumedChanges {
        let engine = engine ?? Engine(log: source.log, time: TimeSource(ContinuousClock()))
        return ResumedChanges(
            of: engine, on: source.topic, after: token, durableOnly: durableOnly, members: GroupLayout.boxes(of: self))
    }

    private var source: (log: MutationLog, topic: Topic) {
        if let engine, let topic = GroupLayout.topic(of: self) {
            engine.beginFollowing()
            return (engine.log, topic)
        }
        // A group without settings never changes.
        let log = MutationLog(logLimit: 1, logCostLimit: 0)
        return (log, log.root)
    }
}

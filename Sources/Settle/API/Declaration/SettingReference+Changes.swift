extension SettingReference {
    /// Every change of the setting, from now on; see ``Changes``.
    public var changes: Changes { changes(.every) }

    /// Delivers the setting's changes, from now on; the parameters are those of
    /// ``SettingsGroup/changes(_:durableOnly:)``.
    public func changes(_ delivery: Change.Delivery, durableOnly: Bool = false) -> Changes {
        let placement = placement
        placement.engine.beginFollowing()
        return Changes(
            ChangeCursor(on: placement.slot, of: placement.engine.log, delivery: delivery, durableOnly: durableOnly))
    }

    /// Delivers the setting's changes since a revision.
    ///
    /// - Throws: ``SettingsError`` if the store's log no longer holds everything since then.
    public func changes(
        afterRevision revision: UInt64, delivery: Change.Delivery = .every, durableOnly: Bool = false
    ) throws -> Changes {
        let placement = placement
        return try .since(
            revision, on: placement.slot, of: placement.engine.log, delivery: delivery, durableOnly: durableOnly)
    }

    /// Runs a body for the current value, then for the newest value after each change.
    ///
    /// ```swift
    /// try await settings.$port.forEachLatest { port in
    ///     try await serve(on: port)                  // cancelled when the port changes, then started with the new one
    /// }
    /// ```
    ///
    /// Each body runs in a child task. A newer value cancels the running body and waits for its end; then the body runs
    /// for the value that is newest by that time, skipping those in between. So two bodies never run at the same time,
    /// and once changes pause, the last body runs, or has run, for the current value. A body that has ended does not
    /// run again before the next change.
    ///
    /// The call returns when the store closes, once the last body has ended; closing does not cancel that body.
    /// Cancelling the calling task cancels the body; the call then returns normally when the body has ended, as a
    /// `for await` loop does.
    ///
    /// - Throws: The body's error, which ends everything; except the `CancellationError` of a cancelled body.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await makeAsyncIterator().forEachLatest(body)
    }
}

extension SettingReference.Iterator: LatestIterator {
    mutating func newest(insteadOf element: Value) -> Value {
        popNewest() ?? element
    }

    /// Returns the newest undelivered value, without waiting for one.
    mutating func popNewest() -> Value? {
        guard let (value, version) = box.published(unlessVersion: seen) else { return nil }
        seen = version
        return value
    }
}

extension Change {
    /// The mutation of one setting, if this change contains one.
    public subscript<Value>(setting: SettingReference<Value>) -> (oldValue: Value, newValue: Value)? {
        let key = setting.key
        guard let mutation = mutations.first(where: { $0.key == key }),
            let old = mutation.oldValue as? Value, let new = mutation.newValue as? Value
        else { return nil }
        return (old, new)
    }
}

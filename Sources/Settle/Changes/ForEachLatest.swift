/// Reactions: work that follows the newest value.
extension SettingReference {
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
    /// - Throws: What the body throws, which ends everything; except the `CancellationError` of a cancelled body.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await makeAsyncIterator().forEachLatest(body)
    }
}

extension SettingReference.Iterator: LatestIterator {
    mutating func newest(insteadOf element: Value) -> Value {
        takeNewest() ?? element
    }

    /// The newest value that has not been delivered yet, without waiting for one.
    mutating func takeNewest() -> Value? {
        guard let (value, version) = box.published(unlessVersion: seen) else { return nil }
        seen = version
        return value
    }
}

extension Changes {
    /// Runs a body for the newest change whenever there is one; see ``SettingReference/forEachLatest(_:)``.
    ///
    /// Whatever the ``Delivery`` asked for, changes that are overtaken are skipped and counted in ``Change/missed``.
    ///
    /// - Throws: What the body throws, which ends everything; except the `CancellationError` of a cancelled body.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Change) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await newestOnly.makeAsyncIterator().forEachLatest(body)
    }
}

extension Changes.Iterator: LatestIterator {
    mutating func newest(insteadOf element: Change) -> Change {
        takeNewest()?.counting(element) ?? element
    }
}

extension Snapshots {
    /// Runs a body for the current result, then for the newest one after each change; see
    /// ``SettingReference/forEachLatest(_:)``. A change that leaves the result equal does not cancel the body.
    ///
    /// - Throws: What the body throws, which ends everything; except the `CancellationError` of a cancelled body.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await makeAsyncIterator().forEachLatest(body)
    }
}

/// Reactions: work that follows the newest value.
extension SettingReference {
    /// Runs a body for the current value, and then for the newest value after each change.
    ///
    /// ```swift
    /// try await settings.$port.forEachLatest { port in
    ///     try await serve(on: port)                  // cancelled when the port changes, and begun again with the new one
    /// }
    /// ```
    ///
    /// Each body runs in a child task. When there is a newer value while it runs, it is cancelled and waited for; then the body
    /// runs for the value that is the newest by that time, and values in between are passed over. So two bodies never run at
    /// once, and after a quiet moment the last body runs, or has run, for the current value. A body that has ended is not
    /// run again before the next change.
    ///
    /// It returns when the store closes, once the last body has ended, which is not cancelled for that. If the calling task is
    /// cancelled, so is the body; the call returns normally when that has ended, as a `for await` loop does.
    ///
    /// - Throws: What the body throws, which ends everything; except a `CancellationError` of a body that was cancelled.
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

    /// The newest value that has not been given yet, without waiting for one.
    mutating func takeNewest() -> Value? {
        guard let (value, version) = box.published(unlessVersion: seen) else { return nil }
        seen = version
        return value
    }
}

extension Changes {
    /// Runs a body for the newest change whenever there is one; see ``SettingReference/forEachLatest(_:)``.
    ///
    /// Whatever ``Delivery`` was asked for, changes that are overtaken are passed over, and counted in ``Change/missed``.
    ///
    /// - Throws: What the body throws, which ends everything; except a `CancellationError` of a body that was cancelled.
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
    /// Runs a body for the current result, and then for the newest one after each change; see
    /// ``SettingReference/forEachLatest(_:)``. A change that leaves the result equal disturbs no body.
    ///
    /// - Throws: What the body throws, which ends everything; except a `CancellationError` of a body that was cancelled.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await makeAsyncIterator().forEachLatest(body)
    }
}

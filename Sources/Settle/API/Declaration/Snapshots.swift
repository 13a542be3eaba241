/// An async sequence of the results of a closure that reads a group: the current result first, then the newest one
/// after each change.
///
/// Each result is of one moment, as with ``SettingsGroup/snapshot(_:)``. If `Value` is `Equatable`, a result equal to
/// the previous one is skipped. The sequence ends when the store closes; leaving the loop or cancelling its task
/// unsubscribes.
public struct Snapshots<Group: SettingsGroup, Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Never

    private let group: Group
    /// Reads values of one moment.
    private let read: @Sendable (Group) -> Value

    init(of group: Group, _ read: @escaping @Sendable (Group) -> Value) {
        self.init(of: group, whole: { $0.snapshot(read) })
    }

    init(of group: Group, whole read: @escaping @Sendable (Group) -> Value) {
        self.group = group
        self.read = read
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(group: group, read: read)
    }

    /// One loop's iterator. `next()` returns `nil` once the store has closed or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let group: Group
        private let read: @Sendable (Group) -> Value
        private let areEqual: (@Sendable (Value, Value) -> Bool)?
        private var changes: Changes.Iterator
        /// The last delivered result; `nil` before the first.
        private var last: Value?

        init(group: Group, read: @escaping @Sendable (Group) -> Value) {
            self.group = group
            self.read = read
            areEqual = equality(of: Value.self)
            // Subscribe before the first result is read, so that no change falls in between.
            changes = group.changes(.newest).makeAsyncIterator()
        }

        public mutating func next() async -> Value? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            if last == nil, !Task.isCancelled { return readAnew() }
            while await changes.next(isolation: actor) != nil {
                if let value = readAnew() { return value }
            }
            return nil
        }

        /// Reads again. Returns `nil` if the result equals the last one.
        private mutating func readAnew() -> Value? {
            let value = read(group)
            if let last, areEqual?(last, value) == true { return nil }
            last = value
            return value
        }
    }
}

extension Snapshots.Iterator: LatestIterator {
    mutating func newest(insteadOf element: Value) -> Value {
        guard changes.popNext() != nil else { return element }
        return readAnew() ?? element
    }
}

extension SettingsGroup {
    /// The group's values as they were between two transactions, now and after each change of the group.
    ///
    /// ```swift
    /// for await settings in settings.snapshots { show(settings.host, settings.port) }
    /// ```
    public var snapshots: Snapshots<Self, Snapshot<Self>> {
        Snapshots(of: self, whole: { Snapshot(of: $0) })
    }

    /// Reads several settings of the group as they were between two transactions, now and after each change of the
    /// group.
    ///
    /// ```swift
    /// for await (host, port) in settings.snapshots({ ($0.host, $0.port) }) { … }
    /// ```
    ///
    /// - Parameter read: Reads the values. It should do nothing else, because it runs again if a transaction comes in
    ///   between.
    public func snapshots<Value: Sendable>(_ read: @escaping @Sendable (Self) -> Value) -> Snapshots<Self, Value> {
        Snapshots(of: self, read)
    }
}

extension Snapshots {
    /// Runs a body for the current result, then for the newest one after each change; see
    /// ``SettingReference/forEachLatest(_:)``. A change that leaves the result equal does not cancel the body.
    ///
    /// - Throws: The body's error, which ends everything; except the `CancellationError` of a cancelled body.
    public func forEachLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) {
        try await makeAsyncIterator().forEachLatest(body)
    }
}

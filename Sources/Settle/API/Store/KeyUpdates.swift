/// An async sequence with an element whenever a value of a store may have changed; see ``SettingsStore/Keys/updates``.
public struct KeyUpdates: AsyncSequence, Sendable {
    public typealias Element = Void
    public typealias Failure = Never

    /// Keeps the store open.
    private let keeper: StoreKeeper

    fileprivate init(of keeper: StoreKeeper) { self.keeper = keeper }

    public func makeAsyncIterator() -> Iterator {
        Iterator(of: keeper)
    }

    /// One loop's iterator. `next()` returns `nil` once the store has closed or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private var contents: ContentWatch

        fileprivate init(of keeper: StoreKeeper) {
            contents = ContentWatch(keeper, seesFirst: true)
        }

        public mutating func next() async -> Void? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Void? {
            await contents.changed(isolation: actor) ? () : nil
        }
    }
}

extension SettingsStore.Keys {
    /// Reports that a value may have changed, whether or not a group declares its key: once at first, then after
    /// changes.
    ///
    /// ```swift
    /// for await _ in store.keys.updates { show(store.keys.effectiveValues) }
    /// ```
    ///
    /// Changes that happen before the loop requests the next element are reported together. Changes of all domains and
    /// from outside count, and so do groups that are opened or released, whose defaults come and go. The sequence ends
    /// when the store closes, after the last change; leaving the loop or cancelling its task unsubscribes.
    public var updates: KeyUpdates { KeyUpdates(of: store.keeper) }

    /// A number that rises whenever a read by key may find something else: another value, a declaration or a secret. It
    /// is `nil` inside a transaction of the store on this thread, which reads its own writes.
    ///
    /// For code that remembers what it has read by key. Read the number before the value: as long as it stays the same,
    /// the value is current.
    ///
    /// ```swift
    /// let version = store.keys.version
    /// if let version, version == known?.version { return known?.theme }
    /// let theme = store.keys["theme"].flatMap(Theme.init)
    /// known = version.map { ($0, theme) }
    /// ```
    ///
    /// It may also rise when nothing changes, such as after a save, and has no meaning beyond the open store.
    public var version: UInt64? {
        guard !store.core.isInTransaction else { return nil }
        let log = store.log
        return log.lock.withLock { log.readVersion }
    }
}

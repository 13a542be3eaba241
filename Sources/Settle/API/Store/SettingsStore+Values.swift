extension SettingsStore.Keys {
    /// The values of a key, declared by a group or not: the current one first, then the newest one after each change.
    ///
    /// ```swift
    /// for await port in store.keys.values(forKey: "plugins.web.port", as: Int.self) {
    ///     …                                            // nil while nothing is stored
    /// }
    /// ```
    ///
    /// An element is `nil` while the key has no value, or one that does not convert to the type. Values that are
    /// overtaken before the loop asks for the next one are skipped. Changes of all domains and from outside count. The
    /// sequence ends when the store closes; leaving the loop or cancelling its task unsubscribes. For a declared setting,
    /// its `$name` is cheaper to follow: this sequence looks at its key after each change of the store.
    public func values<Value: Codable & Sendable>(
        forKey key: some SettingKeyConvertible, as type: Value.Type = Value.self
    ) -> KeyedValues<Value> {
        KeyedValues(key: SettingKey(given: key), keeper: store.keeper)
    }
}

/// An async sequence of the values of a key; see ``SettingsStore/Keys/values(forKey:as:)``.
public struct KeyedValues<Value: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value?
    public typealias Failure = Never

    fileprivate let key: SettingKey
    /// Keeps the store open.
    fileprivate let keeper: StoreKeeper

    public func makeAsyncIterator() -> Iterator {
        Iterator(of: self)
    }

    /// One loop's place in the sequence. `next()` returns `nil` once the store has closed or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let values: KeyedValues
        private var contents: ContentWatch
        private var isFirst = true
        /// What the last element was read from, as a storage sees it.
        private var seen: SettingValue?

        fileprivate init(of values: KeyedValues) {
            self.values = values
            contents = ContentWatch(values.keeper, seesFirst: true)
        }

        public mutating func next() async -> Value?? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value?? {
            while await contents.changed(isolation: actor) {
                guard let stored = values.stored else { return nil }
                guard isFirst || stored != seen else { continue }
                (isFirst, seen) = (false, stored)
                return .some(values.converted(stored))
            }
            return nil
        }
    }

    /// `nil` once the store has closed.
    private var stored: SettingValue?? {
        let core = keeper.core
        if let stored = try? core.storedForm(ofKey: key) { return .some(stored) }
        return core.log.lock.withLock { core.log.contentMark } == nil ? nil : .some(nil)
    }

    private func converted(_ stored: SettingValue?) -> Value? {
        stored.flatMap { (try? SettingCodec<Value?>.standard.decode($0)) ?? nil }
    }
}

extension SettingsStore {
    /// The values of a key, declared by a group or not: the current one first, then the newest one after each change.
    ///
    /// ```swift
    /// for await port in store.values(forKey: "plugins.web.port", as: Int.self) {
    ///     …                                            // nil while nothing is stored
    /// }
    /// ```
    ///
    /// An element is `nil` while the key has no value, or one that does not convert to the type. Values that are
    /// overtaken before the loop asks for the next one are skipped. An external change of a key that no group declares
    /// shows with the next change of the store. The sequence ends when the store closes; leaving
    /// the loop or cancelling its task unsubscribes. For a declared setting, its `$name` is cheaper to follow: this
    /// sequence looks at its key after each change of the store.
    public func values<Value: Codable & Sendable>(
        forKey key: String, as type: Value.Type = Value.self
    ) -> KeyedValues<Value> {
        KeyedValues(key: SettingKey(stored: key), keeper: keeper, changes: changes(.newest))
    }

    /// The values of a key that is given by its names; see ``values(forKey:as:)-(String,_)``.
    public func values<Value: Codable & Sendable>(
        forKey key: SettingKey, as type: Value.Type = Value.self
    ) -> KeyedValues<Value> {
        values(forKey: key.description, as: type)
    }
}

/// An async sequence of the values of a key; see ``SettingsStore/values(forKey:as:)-(String,_)``.
public struct KeyedValues<Value: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value?
    public typealias Failure = Never

    fileprivate let key: SettingKey
    /// Keeps the store open.
    fileprivate let keeper: StoreKeeper
    fileprivate let changes: Changes

    public func makeAsyncIterator() -> Iterator {
        Iterator(values: self, changes: changes.makeAsyncIterator())
    }

    /// One loop's place in the sequence. `next()` returns `nil` once the store has closed or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let values: KeyedValues
        fileprivate var changes: Changes.Iterator
        /// What the last element was read from, as a storage sees it.
        private var seen: SettingValue?
        private var hasBegun = false

        fileprivate init(values: KeyedValues, changes: Changes.Iterator) {
            self.values = values
            self.changes = changes
        }

        public mutating func next() async -> Value?? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value?? {
            // The changes are followed from before the first look, so nothing falls in between.
            guard hasBegun else {
                hasBegun = true
                guard !Task.isCancelled else { return nil }
                seen = values.stored
                return .some(values.converted(seen))
            }
            while await changes.next(isolation: actor) != nil {
                let stored = values.stored
                guard stored != seen else { continue }
                seen = stored
                return .some(values.converted(stored))
            }
            return nil
        }
    }

    private var stored: SettingValue? {
        (try? keeper.core.storedForm(ofKey: key)) ?? nil
    }

    private func converted(_ stored: SettingValue?) -> Value? {
        stored.flatMap { (try? SettingCodec<Value?>.standard.decode($0)) ?? nil }
    }
}

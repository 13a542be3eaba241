/// An async sequence of the values of a key; see ``SettingsStore/Keys/values(forKey:as:)``.
public struct KeyedValues<Value: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value?
    public typealias Failure = Never

    let key: SettingKey
    /// Keeps the store open.
    let keeper: StoreKeeper

    public func makeAsyncIterator() -> Iterator {
        Iterator(of: self)
    }

    /// One loop's iterator. `next()` returns `nil` once the store has closed or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let values: KeyedValues
        private var contents: ContentWatch
        private var isFirst = true
        /// The stored form from which the last element was read.
        private var seen: SettingValue?

        fileprivate init(of values: KeyedValues) {
            self.values = values
            contents = ContentWatch(values.keeper, seesFirst: true)
        }

        public mutating func next() async -> Value?? {
            await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value?? {
            while await contents.changed(isolation: actor) {
                let stored = values.stored
                guard isFirst || stored != seen else { continue }
                (isFirst, seen) = (false, stored)
                return .some(values.converted(stored))
            }
            return nil
        }
    }

    /// The stored form of the current value, or of the last one once the store has closed.
    private var stored: SettingValue? { try? keeper.core.storedForm(ofKey: key) }

    private func converted(_ stored: SettingValue?) -> Value? {
        stored.flatMap { (try? SettingCodec<Value?>.standard.decode($0)) ?? nil }
    }
}

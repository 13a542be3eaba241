import Synchronization

extension SettingReference: AsyncSequence {
    public typealias Element = Value
    public typealias Failure = Never

    public func makeAsyncIterator() -> Iterator {
        Iterator(box: box.resolved)
    }

    /// Gives the current value first, then, whenever it is asked, the newest value, if there is a newer one than before; it
    /// waits until there is. Values in between are passed over. Ends when the store closes or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let box: SettingBox<Value>
        /// The version of the value that was given last; `nil` before the first.
        private var seen: UInt64?
        private var waiter: Waiter?

        init(box: SettingBox<Value>) {
            self.box = box
        }

        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while !Task.isCancelled {
                let place = box.attachment ?? Detachment.attach(box)
                let log = place.store.log
                if let value = newValue(in: log) { return value }
                if log.lock.withLock({ log.isFinished }) { return nil }
                let waiter = self.waiter ?? Waiter()
                self.waiter = waiter
                let seen = seen
                await log.wait(on: place.slot, with: waiter) { box.version.load(ordering: .relaxed) != seen }
            }
            return nil
        }

        /// The value with its version, in one step, if it is newer than the one that was given last.
        private mutating func newValue(in log: MutationLog) -> Value? {
            if let seen, box.version.load(ordering: .acquiring) == seen { return nil }
            let version: UInt64
            let value: Value
            (version, value) = log.lock.withLock { (box.version.load(ordering: .relaxed), box.published) }
            seen = version
            return value
        }
    }
}

import Synchronization

extension SettingReference: AsyncSequence {
    public typealias Element = Value
    public typealias Failure = Never

    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(box: box.resolved, keeper: keeper)
    }

    /// Gives the current value first, then, whenever it is asked, the newest value, if there is a newer one than before; it
    /// waits until there is. Values in between are passed over. Ends when the store closes or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let box: SettingBox<Value>
        private let keeper: StoreKeeper?
        /// The version of the value that was given last; before the first an odd number, which no value has.
        @usableFromInline var seen = UInt64.max
        /// `nil` once the sequence has ended, and at first in a group that no store has opened, whose subscribers nobody counts.
        private var waiter: Waiter?
        @usableFromInline var hasEnded = false

        @usableFromInline
        init(box: SettingBox<Value>, keeper: StoreKeeper?) {
            self.box = box
            self.keeper = keeper
            waiter = box.attachment.map { Waiter(countedIn: $0.core.log) }
        }

        @inlinable
        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }

        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while !hasEnded, !Task.isCancelled {
                if let (value, version) = box.published(unlessVersion: seen) {
                    seen = version
                    return value
                }
                guard await waitForNewer(isolation: actor) else { break }
            }
            end()
            return nil
        }

        @usableFromInline
        mutating func end() {
            hasEnded = true
            waiter = nil
        }

        /// Returns when there may be a newer value than the one that was given last. False if there will be none.
        ///
        /// The check and the parking are one step under the lock that publishes, so no value falls between them.
        @usableFromInline
        mutating func waitForNewer(isolation actor: isolated (any Actor)?) async -> Bool {
            let place = box.place
            let log = place.core.log
            let waiter = self.waiter ?? Waiter(countedIn: nil)
            self.waiter = waiter
            let (box, seen) = (box, seen)
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    log.park(continuation, on: place.slot, with: waiter) {
                        box.version.load(ordering: .relaxed) != seen
                    }
                }
            } onCancel: {
                log.cancel(waiter)
            }
            return !waiter.isFinished || box.version.load(ordering: .relaxed) != seen
        }
    }
}

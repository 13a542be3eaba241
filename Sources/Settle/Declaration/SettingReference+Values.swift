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
        // It is small, because each subscriber that waits has several copies of it in the frames of its task.
        @usableFromInline let box: SettingBox<Value>
        /// The version of the value that was given last; an odd number, which no value has, before the first and after the last.
        @usableFromInline var seen = Self.nothing
        /// `nil` once the sequence has ended, and at first in a group that no store has opened, whose subscribers nobody counts.
        private var waiter: Waiter?

        private static var nothing: UInt64 { .max }
        private static var end: UInt64 { .max - 2 }

        @usableFromInline
        init(box: SettingBox<Value>, keeper: StoreKeeper?) {
            self.box = box
            waiter = box.attachment.map { Waiter(countedIn: $0.core.log, keeping: keeper) }
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

        @usableFromInline var hasEnded: Bool { seen == Self.end }

        @usableFromInline
        mutating func end() {
            seen = Self.end
            waiter = nil
        }

        /// Returns when there may be a newer value than the one that was given last. False if there will be none.
        ///
        /// The check and the parking are one step under the lock that publishes, so no value falls between them.
        @usableFromInline
        mutating func waitForNewer(isolation actor: isolated (any Actor)?) async -> Bool {
            let waiter = self.waiter ?? Waiter(countedIn: nil)
            self.waiter = waiter
            waiter.seen = seen
            let box = box
            // What these closures capture is memory of each subscriber that waits.
            await withTaskCancellationHandler {
                await withUnsafeContinuation { box.park($0, with: waiter) }
            } onCancel: {
                box.place.core.log.cancel(waiter)
            }
            return !waiter.isFinished || box.version.load(ordering: .relaxed) != seen
        }
    }
}

import Synchronization

extension SettingReference: WritableSetting {
    public typealias Element = Value
    public typealias Failure = Never

    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(box: box.resolved, keeper: keeper)
    }

    /// Returns the current value first, then, on each call, the newest value, waiting for one that is newer than the
    /// last. Skips values in between. Ends when the store closes or the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        // Kept small, because the frames of each waiting task contain several copies of it.
        @usableFromInline let box: SettingBox<Value>
        /// The version of the value returned last. Before the first value and after the last, it is an odd number,
        /// which no value has.
        @usableFromInline var seen = Self.nothing
        /// `nil` once the sequence has ended, and at first in a group that no store has opened, whose subscribers are
        /// not counted.
        private var waiter: Waiter?

        private static var nothing: UInt64 { .max }
        @inlinable static var end: UInt64 { .max - 2 }

        @usableFromInline
        init(box: SettingBox<Value>, keeper: Keeper?) {
            self.box = box
            if box.isFollowing { box.existingPlacement?.engine.beginFollowing() }
            waiter = box.existingPlacement.map { Waiter(countedIn: $0.engine.log, keeping: keeper) }
        }

        @inlinable
        public mutating func next() async -> Value? {
            await next(isolation: #isolation)
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

        @inlinable var hasEnded: Bool { seen == Self.end }

        @usableFromInline
        mutating func end() {
            seen = Self.end
            waiter = nil
        }

        /// Waits until there may be a newer value than the last one. Returns false if there will be none.
        ///
        /// Checking and parking are one step under the lock that publishes, so no value falls between them.
        @usableFromInline
        mutating func waitForNewer(isolation actor: isolated (any Actor)?) async -> Bool {
            let waiter = self.waiter ?? Waiter(countedIn: nil)
            self.waiter = waiter
            waiter.seen = seen
            let box = box
            // Everything that these closures capture takes memory for each waiting subscriber. The actor is captured, so
            // that the first one stays on it.
            await withTaskCancellationHandler {
                _ = actor
                await withUnsafeContinuation { box.park($0, with: waiter) }
            } onCancel: {
                box.placement.engine.log.cancel(waiter)
            }
            return !waiter.isFinished || box.version.load(ordering: .relaxed) != seen
        }
    }
}

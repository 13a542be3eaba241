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
    ///
    /// A copy shares the iterator's wait: two tasks that wait at once with copies of one iterator stop the program.
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
                let wait = beginWait()
                // Everything that these closures capture takes memory for each waiting subscriber. The actor is
                // captured, so that the first one stays on it.
                await withTaskCancellationHandler {
                    _ = actor
                    await withUnsafeContinuation { wait.park($0) }
                } onCancel: {
                    wait.cancel()
                }
                guard wait.mayHaveNewer else { break }
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

        /// Prepares to wait for a newer value than the last one.
        @usableFromInline
        mutating func beginWait() -> ValueWait {
            let waiter = self.waiter ?? Waiter(countedIn: nil)
            self.waiter = waiter
            return ValueWait(for: box, with: waiter, seen: seen)
        }
    }
}

import Synchronization

/// The transactions that are under way, by thread, to tell of writes to other stores inside them.
///
/// A transaction is of one store. If it is undone, what its closure has written to another one stays, and nobody would know.
enum RunningUpdates {
    private struct Update {
        /// The store whose transaction contains all others on its thread.
        let core: ObjectIdentifier
        /// How often another store has been written.
        var writesElsewhere = 0
    }

    private static let count = Atomic<Int>(0)
    private static let updates = LockedValue<[UInt: Update]>([:])

    /// A store's transaction begins on this thread.
    static func begin(_ core: StoreCore) {
        let thread = currentThreadID()
        updates.withLock { updates in
            guard updates[thread] == nil else { return }
            updates[thread] = Update(core: ObjectIdentifier(core))
            count.add(1, ordering: .relaxed)
        }
    }

    /// A store's transaction ends on this thread.
    static func end(_ core: StoreCore) {
        let thread = currentThreadID()
        updates.withLock { updates in
            guard updates[thread]?.core == ObjectIdentifier(core) else { return }
            updates[thread] = nil
            count.subtract(1, ordering: .relaxed)
        }
    }

    /// A store is written on this thread. Nearly always nothing is under way.
    @inline(__always)
    static func noteWrite(to core: StoreCore) {
        if count.load(ordering: .relaxed) != 0 { noteWriteInside(core) }
    }

    @inline(never)
    private static func noteWriteInside(_ core: StoreCore) {
        let thread = currentThreadID()
        updates.withLock { updates in
            guard let update = updates[thread], update.core != ObjectIdentifier(core) else { return }
            updates[thread]?.writesElsewhere += 1
        }
    }

    /// How often other stores have been written inside a store's transaction on this thread.
    static func writesElsewhere(in core: StoreCore) -> Int {
        let thread = currentThreadID()
        return updates.withLock { updates in
            guard let update = updates[thread], update.core == ObjectIdentifier(core) else { return 0 }
            return update.writesElsewhere
        }
    }
}

import Synchronization

/// The transaction that is under way on the calling thread, to tell of writes to other stores inside it.
///
/// A transaction is of one store. If it is undone, what its closure has written to another one stays, and nobody would know.
/// Each thread keeps its own, so threads that run transactions never meet here.
enum RunningUpdates {
    /// The store whose transaction contains all others on the thread, which keeps it alive.
    private static let outermost = ThreadSpecific<StoreCore>()
    /// Whether there has ever been a transaction. Written once, so that every thread keeps its copy.
    private static let hasBegun = Atomic<Bool>(false)

    /// A store's transaction begins on this thread. Under its writer's lock.
    static func begin(_ core: StoreCore) {
        if !hasBegun.load(ordering: .relaxed) { hasBegun.store(true, ordering: .relaxed) }
        guard outermost.value == nil else { return }
        core.writesElsewhere = 0
        outermost.value = .passUnretained(core)
    }

    /// A store's transaction ends on this thread. Under its writer's lock.
    static func end(_ core: StoreCore) {
        if isOutermost(core) { outermost.value = nil }
    }

    /// A store is written on this thread.
    @inline(__always)
    static func noteWrite(to core: StoreCore) {
        // A thread that runs a transaction sees at least its own note of it.
        if hasBegun.load(ordering: .relaxed) { noteWriteInside(core) }
    }

    @inline(never)
    private static func noteWriteInside(_ core: StoreCore) {
        guard let outermost = outermost.value else { return }
        // The thread has that store's lock, since its transaction is under way here.
        outermost._withUnsafeGuaranteedRef { if $0 !== core { $0.writesElsewhere += 1 } }
    }

    /// How often other stores have been written inside a store's transaction on this thread. Under its writer's lock.
    static func writesElsewhere(in core: StoreCore) -> Int {
        isOutermost(core) ? core.writesElsewhere : 0
    }

    /// Whether a store's transaction contains all others on this thread.
    static func isOutermost(_ core: StoreCore) -> Bool {
        outermost.value?.toOpaque() == Unmanaged.passUnretained(core).toOpaque()
    }
}

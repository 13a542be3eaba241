import Synchronization

/// The transaction in progress on the calling thread, to detect writes to other stores inside it.
///
/// A transaction belongs to one store. If it is undone, the writes of its closure to another store stay, so that has to
/// be reported. Each thread has its own record: threads that run transactions never contend here.
enum RunningUpdates {
    /// The store whose transaction encloses all others on the thread, which keeps the store alive.
    private static let outermost = ThreadSpecific<Engine>()
    /// Whether there has ever been a transaction. Written once, so that every CPU keeps its cached copy.
    private static let hasBegun = Atomic<Bool>(false)

    /// Records that a store's transaction begins on this thread. Requires its writer's lock.
    static func begin(_ engine: Engine) {
        if !hasBegun.load(ordering: .relaxed) { hasBegun.store(true, ordering: .relaxed) }
        guard outermost.value == nil else { return }
        engine.writesElsewhere = 0
        outermost.value = .passUnretained(engine)
    }

    /// Records that a store's transaction ends on this thread. Requires its writer's lock.
    static func end(_ engine: Engine) {
        if isOutermost(engine) { outermost.value = nil }
    }

    /// Records that a store is written on this thread.
    @inline(__always)
    static func countWrite(to engine: Engine) {
        // A thread that runs a transaction sees at least its own write of the flag.
        if hasBegun.load(ordering: .relaxed) { countWriteInside(engine) }
    }

    @inline(never)
    private static func countWriteInside(_ engine: Engine) {
        guard let outermost = outermost.value else { return }
        // This thread holds that store's lock, because the store's transaction is in progress here.
        outermost._withUnsafeGuaranteedRef { if $0 !== engine { $0.writesElsewhere += 1 } }
    }

    /// Returns how often other stores have been written inside a store's transaction on this thread. Requires its
    /// writer's lock.
    static func writesElsewhere(in engine: Engine) -> Int {
        isOutermost(engine) ? engine.writesElsewhere : 0
    }

    /// Whether a transaction of any store is in progress on this thread.
    static var isRunning: Bool { outermost.value != nil }

    /// Returns whether a store's transaction encloses all others on this thread.
    static func isOutermost(_ engine: Engine) -> Bool {
        outermost.value?.toOpaque() == Unmanaged.passUnretained(engine).toOpaque()
    }
}

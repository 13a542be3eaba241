import Synchronization

/// Hands a lock that threads keep retaking to a waiter that must not block a thread.
///
/// ```
///   open ──request──▶ requested ──the owner unlocks──▶ gate closed ──tryLock(within:), or timeout──▶ open
/// ```
///
/// While the gate is closed, threads that don't hold the lock stand back before they take it.
struct LockHandOff: ~Copyable, Sendable {
    /// Whether a hand-off is requested or the gate is closed; 0 almost always.
    private let demand = Atomic<UInt8>(0)
    private let state = LockedValue(State())
    /// How long other threads stand back for a waiter that may never take the lock.
    private let gateLimit: Duration

    private struct State: Sendable {
        var requests: [@Sendable () -> Void] = []
        var gateEnd: ContinuousClock.Instant?
    }

    private static let isRequested: UInt8 = 1
    private static let isGateClosed: UInt8 = 2

    init(gateLimit: Duration) { self.gateLimit = gateLimit }

    var isGateClosed: Bool { demand.load(ordering: .relaxed) & Self.isGateClosed != 0 }

    /// Records a request, which the next owner to unlock grants.
    func request(_ take: @escaping @Sendable () -> Void) {
        state.withLock { $0.requests.append(take) }
        demand.bitwiseOr(Self.isRequested, ordering: .sequentiallyConsistent)
    }

    /// Grants what is requested. Called without the lock, by the thread that has just released it: a hand-off requested
    /// before finds the lock free, and one requested later is seen here.
    @inline(__always)
    func lockWasReleased() {
        if demand.load(ordering: .sequentiallyConsistent) & Self.isRequested != 0 { grant() }
    }

    @inline(never)
    private func grant() {
        let requests = state.withLock { state in
            demand.bitwiseAnd(~Self.isRequested, ordering: .relaxed)
            defer { state.requests = [] }
            return state.requests
        }
        guard !requests.isEmpty else { return }
        closeGate(until: ContinuousClock.now + gateLimit)
        for take in requests { take() }
    }

    func closeGate(until end: ContinuousClock.Instant) {
        state.withLock { state in
            state.gateEnd = end
            demand.bitwiseOr(Self.isGateClosed, ordering: .relaxed)
        }
    }

    func openGate() {
        guard isGateClosed else { return }
        state.withLock { state in
            state.gateEnd = nil
            demand.bitwiseAnd(~Self.isGateClosed, ordering: .relaxed)
        }
    }

    /// Gives way to a hand-off in progress.
    @inline(__always)
    func standBack() {
        if demand.load(ordering: .relaxed) != 0 { waitForGate() }
    }

    @inline(never)
    private func waitForGate() {
        var backOff = SpinBackOff(longestSleep: SpinBackOff.shortestSleep)
        while isGateClosed {
            // The waiter may never come. The first thread that finds that out lets all others continue too.
            if let end = state.withLock({ $0.gateEnd }), ContinuousClock.now >= end { return openGate() }
            backOff.pause()
        }
    }
}

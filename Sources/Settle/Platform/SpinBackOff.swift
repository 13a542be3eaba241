/// Back-off for a thread that waits for another one to finish a few instructions.
///
/// Usually that thread runs on another processor and is done immediately. If it has been suspended, it needs a
/// processor first, and yielding gives it this one. But yielding only helps threads of the same priority and above, so
/// in the end the waiting thread sleeps. Otherwise a real-time thread could keep the owner of a lock off its only
/// processor forever.
struct SpinBackOff {
    enum Step: Equatable {
        case spin
        case yield
        case sleep(Duration)
    }

    static let spins = 32
    static let yields = 32
    static let shortestSleep = Duration.microseconds(50)
    static let longestSleep = Duration.milliseconds(1)

    private var attempts = 0
    private var following = Self.shortestSleep
    private let limit: Duration

    init(longestSleep: Duration = Self.longestSleep) { limit = longestSleep }

    mutating func next() -> Step {
        attempts &+= 1
        if attempts <= Self.spins { return .spin }
        if attempts <= Self.spins + Self.yields { return .yield }
        attempts = Self.spins + Self.yields
        defer { following = min(following * 2, limit) }
        return .sleep(following)
    }

    /// Takes the next step of the back-off.
    mutating func pause() {
        switch next() {
        case .spin: break
        case .yield: yieldThread()
        case .sleep(let duration): pauseThread(for: duration)
        }
    }
}

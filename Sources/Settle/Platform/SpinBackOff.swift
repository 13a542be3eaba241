/// How a thread waits for another one that needs a few more instructions.
///
/// Usually that one runs on another processor and is done at once. If it has been suspended, it needs a processor first: yielding
/// gives it this one. But that only helps threads of the same priority and above, so in the end the waiting thread sleeps.
/// Otherwise a real-time thread would keep the owner of a lock from its only processor for ever.
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

    mutating func next() -> Step {
        attempts &+= 1
        if attempts <= Self.spins { return .spin }
        if attempts <= Self.spins + Self.yields { return .yield }
        attempts = Self.spins + Self.yields
        defer { following = min(following * 2, Self.longestSleep) }
        return .sleep(following)
    }

    /// Does the next step.
    mutating func pause() {
        switch next() {
        case .spin: break
        case .yield: yieldThread()
        case .sleep(let duration): pauseThread(for: duration)
        }
    }
}

import PasscodeLock

/// A model of a lock, written from the rules alone: no files, no processes, one number and one wait.
///
/// Time is the time since the boot; a boot is a number. A guess is a text, and so is the passcode.
struct ReferenceLock {
    /// A wrong guess that a process may still know (R8).
    struct Remembered {
        var guess: String
        var uptime: Duration
        var passcodeNumber: Int
    }

    let schedule: LockSchedule
    var passcode: String
    /// Different after each change of the passcode.
    private(set) var passcodeNumber = 0
    private(set) var count = 0
    /// The boot and uptime at which the last try was recorded.
    private var recordedBoot = 0
    private var recordedUptime = Duration.zero
    private(set) var boot = 0
    private(set) var uptime: Duration
    /// The wrong guesses that each process remembers, newest last.
    private var remembered: [Int: [Remembered]] = [:]
    /// Guesses compared since the last success, and the time since then with the machine on (I6).
    private(set) var compared = 0
    private(set) var elapsed = Duration.zero

    init(passcode: String, uptime: Duration, schedule: LockSchedule = .standard) {
        self.schedule = schedule
        self.passcode = passcode
        self.uptime = uptime
    }

    // MARK: - Time (R12–R15)

    /// The model has no wall clock.
    mutating func advance(by duration: Duration) {
        uptime += duration
        elapsed += duration
    }

    /// Ends all processes. The wait in force restarts at the boot, whether it was over or not (R14).
    mutating func reboot() {
        boot += 1
        uptime = .zero
        remembered = [:]
    }

    var remaining: Duration {
        let start = recordedBoot == boot ? recordedUptime : .zero
        return count < schedule.limit ? max(.zero, start + schedule.wait(after: count) - uptime) : .zero
    }

    var status: LockStatus {
        if count >= schedule.limit { return .exhausted }
        return remaining > .zero ? .delayed(remaining: remaining, level: schedule.level(after: count)) : .ready
    }

    // MARK: - Tries (R1, R4–R8)

    /// Performs a process's try.
    ///
    /// - Parameter comparison: How long the comparison takes. The wait begins before it, when the try is recorded.
    mutating func unlock(
        with guess: String, in process: Int, comparison: Duration = .zero, isFailing: Bool = false
    ) -> AttemptResult {
        if let refusal = refusal(of: guess, in: process) { return refusal }
        let start = uptime
        count += 1
        (recordedBoot, recordedUptime) = (boot, start)
        compared += 1
        advance(by: comparison)
        if isFailing { return .failed(status) }
        if guess == passcode {
            succeed(in: process)
            return .accepted
        }
        remember(guess, in: process, at: start)
        return .wrong(status)
    }

    mutating func changePasscode(to new: String, replacing old: String, in process: Int) -> AttemptResult {
        let result = unlock(with: old, in: process)
        if result == .accepted {
            passcode = new
            passcodeNumber += 1
        }
        return result
    }

    /// Forgets what a process kept in memory.
    mutating func kill(_ process: Int) {
        remembered[process] = nil
    }

    /// The throttle comes first (R5), then the remembered wrong guesses.
    func refusal(of guess: String, in process: Int) -> AttemptResult? {
        guard status == .ready else { return .refused(status) }
        let known = (remembered[process] ?? []).contains {
            $0.guess == guess && $0.passcodeNumber == passcodeNumber && uptime - $0.uptime < .seconds(300)
        }
        return known ? .repeated(status) : nil
    }

    /// I6: The waits before the last comparison have really passed.
    var isWithinTable: Bool {
        elapsed >= (0..<compared).map { schedule.wait(after: $0) }.reduce(.zero, +)
    }

    // MARK: What the rules leave open

    /// Adopts what was found after damage, or after a try whose outcome was not reported (R4), if the rules allow it.
    ///
    /// - Parameter wasRight: The right passcode was compared, but not reported.
    mutating func adopt(count: Int, status: LockStatus, compared: Int = 0, wasRight: Bool = false) {
        self.compared += compared
        if wasRight, count == 0 { (self.compared, elapsed) = (0, .zero) }
        self.count = count
        var remaining = Duration.zero
        if case .delayed(let left, _) = status { remaining = left }
        (recordedBoot, recordedUptime) = (boot, uptime + remaining - schedule.wait(after: count))
    }

    private mutating func succeed(in process: Int) {
        remembered[process] = nil
        count = 0
        compared = 0
        elapsed = .zero
    }

    private mutating func remember(_ guess: String, in process: Int, at uptime: Duration) {
        let others = (remembered[process] ?? []).filter { $0.guess != guess }
        let new = Remembered(guess: guess, uptime: uptime, passcodeNumber: passcodeNumber)
        remembered[process] = (others + [new]).suffix(5)
    }
}

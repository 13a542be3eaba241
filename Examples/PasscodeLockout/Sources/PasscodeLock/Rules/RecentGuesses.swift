/// The last wrong guesses, only in memory: repeating one by mistake has no penalty (R8).
///
/// Nothing else in this module keeps guesses, so it keeps few, and briefly, and then wipes their bytes.
struct RecentGuesses {
    private struct Guess {
        let passcode: Passcode
        /// The guess was wrong for this passcode's verifier. For another one it may be right.
        let verifier: StoredVerifier
        let moment: Moment
    }

    private var guesses: [Guess] = []

    static let limit = 5
    static let lifetime = Duration.minutes(5)

    mutating func add(_ passcode: Passcode, wrongFor verifier: StoredVerifier, at moment: Moment) {
        forget(at: moment)
        guesses.append(Guess(passcode: passcode, verifier: verifier, moment: moment))
        guesses.removeFirst(max(0, guesses.count - Self.limit))
    }

    mutating func contains(_ passcode: Passcode, for verifier: StoredVerifier, at moment: Moment) -> Bool {
        forget(at: moment)
        // Compares all, so that the time reveals nothing.
        return guesses.count { $0.passcode.isSame(as: passcode) && $0.verifier.isSame(as: verifier) } > 0
    }

    mutating func forgetAll() {
        guesses = []
    }

    /// Forgets guesses that are too old or from another boot.
    mutating func forget(at moment: Moment) {
        guesses.removeAll { guess in
            let age = moment.uptime - guess.moment.uptime
            return guess.moment.bootID != moment.bootID || age < .zero || age >= Self.lifetime
        }
    }

    var count: Int { guesses.count }

    /// The uptime at which the oldest guess expires.
    var nextExpiry: Duration? {
        guesses.first.map { $0.moment.uptime + Self.lifetime }
    }
}

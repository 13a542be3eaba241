/// What a lock says to the world.
public enum LockStatus: Sendable, Hashable {
    /// A passcode may be tried.
    case ready
    /// No passcode is looked at until the time has passed. `level` 1 is the schedule's first wait.
    case delayed(remaining: Duration, level: Int)
    /// No passcode is looked at any more.
    case exhausted
    /// No passcode can be looked at.
    case unavailable(Reason)

    public enum Reason: Sendable, Hashable, CustomStringConvertible {
        case notEnrolled
        /// What is stored can't be.
        case damaged(String)
        /// The storage failed.
        case notSaved(String)
        /// The machine does not tell its time.
        case noTime(String)

        public var description: String {
            switch self {
            case .notEnrolled: "No passcode has been chosen yet."
            case .damaged(let what): "The lock's stored state is damaged: \(what)"
            case .notSaved(let error): "The lock's state can't be saved, so no passcode is looked at: \(error)"
            case .noTime(let error): "The machine's time can't be read, so no passcode is looked at: \(error)"
            }
        }
    }
}

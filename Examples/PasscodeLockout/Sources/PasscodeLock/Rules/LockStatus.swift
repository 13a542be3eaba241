/// The public status of a lock.
public enum LockStatus: Sendable, Hashable {
    /// A passcode may be tried.
    case ready
    /// No passcode is compared until the time has passed. `level` 1 is the schedule's first wait.
    case delayed(remaining: Duration, level: Int)
    /// No more passcodes are compared.
    case exhausted
    /// No passcode can be compared.
    case unavailable(Reason)

    public enum Reason: Error, Sendable, Hashable, CustomStringConvertible {
        case notEnrolled
        /// The stored values are impossible, in all copies.
        case damaged(String)
        /// An older state was put back, as the witness knows.
        case rolledBack(String)
        /// The storage failed.
        case notSaved(String)
        /// The witness failed.
        case noWitness(String)
        /// The machine gives no time.
        case noTime(String)

        public var description: String {
            switch self {
            case .notEnrolled: "No passcode has been chosen yet."
            case .damaged(let what): "The lock's stored state is damaged: \(what)"
            case .rolledBack(let what): "An older state of the lock has been put back: \(what)"
            case .notSaved(let error): "The lock's state can't be saved, so no passcode is looked at: \(error)"
            case .noWitness(let error): "The lock's witness can't be asked, so no passcode is looked at: \(error)"
            case .noTime(let error): "The machine's time can't be read, so no passcode is looked at: \(error)"
            }
        }
    }
}

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
        /// The two copies are not of one lock, or not of one moment.
        case mismatched(String)
        /// Another version of this program keeps the lock. This one changes nothing.
        case otherVersion(String)
        /// An older state was restored, or another copy of the lock is in use, as the witness knows.
        case rolledBack(String)
        /// Another program keeps the lock from taking its turn.
        case busy(String)
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
            case .mismatched(let what):
                "The lock's two copies don't belong together: \(what) Restore the right state file, or remove the "
                    + "wrong one with its journal and its settings file. If neither is right, remove all of the lock's "
                    + "files together with what they protect."
            case .otherVersion(let what):
                "The lock belongs to another version of this program, so no passcode is compared and nothing is changed: "
                    + "\(what) Use the program that wrote it, or set the lock aside."
            case .busy(let error): "Another program is using the lock, so no passcode is compared: \(error)"
            case .rolledBack(let what): "An older state of the lock was restored: \(what)"
            case .notSaved(let error): "The lock's state can't be saved, so no passcode is compared: \(error)"
            case .noWitness(let error): "The lock's witness can't be read, so no passcode is compared: \(error)"
            case .noTime(let error): "The machine's time can't be read, so no passcode is compared: \(error)"
            }
        }
    }
}

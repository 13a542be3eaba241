/// What is stored about a lock, without the passcode's verifier.
public enum LockState: Sendable, Hashable {
    /// Nobody has chosen a passcode yet.
    case notEnrolled
    /// `attemptCount` tries since the last right one. A try counts from the moment before its comparison.
    case enrolled(attemptCount: Int, wait: LockWait?)
    /// What is stored can't be: it says why.
    case damaged(String)
}

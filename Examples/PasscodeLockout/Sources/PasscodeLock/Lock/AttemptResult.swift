/// The result of a try.
public enum AttemptResult: Sendable, Hashable {
    /// The passcode was right.
    case accepted
    /// The passcode was wrong, and the try counts. Has the lock's new status.
    case wrong(LockStatus)
    /// The verifier failed, so nothing is known about the passcode. The try counts. Has the lock's new status.
    case failed(LockStatus)
    /// The same passcode was wrong a moment ago, so it does not count again. Has the lock's status.
    case repeated(LockStatus)
    /// The passcode was not compared, and the try does not count. Has the lock's status.
    case refused(LockStatus)
}

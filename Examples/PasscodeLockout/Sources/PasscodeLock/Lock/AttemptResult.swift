/// How a try ended.
public enum AttemptResult: Sendable, Hashable {
    /// It was the passcode.
    case accepted
    /// It was not, and it counts. What the lock says now.
    case wrong(LockStatus)
    /// It was wrong a moment ago already, so it does not count again. What the lock says.
    case repeated(LockStatus)
    /// Nobody has looked at it, and it does not count. What the lock says.
    case refused(LockStatus)
}

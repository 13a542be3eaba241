/// The delays between attempts to reserve a name that another process or store has reserved.
///
/// Poll: a blocking lock would block the storage's queue, and no file system signals that a lock has become free.
struct LockBackOff {
    static let shortest = Duration.milliseconds(1)
    static let longest = Duration.milliseconds(20)

    private var following = Self.shortest

    /// The next delay: twice the one before, up to `longest`.
    mutating func next() -> Duration {
        defer { following = min(following * 2, Self.longest) }
        return following
    }
}

/// How long to wait before a storage is asked again for a name that somebody else has reserved.
///
/// A lock that waits would block the storage's queue, and no file system tells when a lock has become free.
struct AccessBackOff {
    static let shortest = Duration.milliseconds(1)
    static let longest = Duration.milliseconds(20)

    private var following = Self.shortest

    /// The next pause: each is twice as long as the one before, up to the longest.
    mutating func next() -> Duration {
        defer { following = min(following * 2, Self.longest) }
        return following
    }
}

/// The delays between attempts to reserve a name that another process or store has reserved.
///
/// Poll: a blocking lock would block the storage's queue, and no file system signals that a lock has become free.
struct LockBackOff {
    /// On this machine, where an attempt costs a system call.
    static let near = Duration.milliseconds(1)...Duration.milliseconds(20)
    /// Over a network, where all who wait ask the same servers.
    static let far = Duration.milliseconds(20)...Duration.milliseconds(500)

    private let isRemote: Bool
    private let longest: Duration
    private var following: Duration

    /// - Parameter isRemote: Whether the storage is somewhere else: calls of it have a limit.
    init(isRemote: Bool) {
        self.isRemote = isRemote
        let delays = isRemote ? Self.far : Self.near
        (following, longest) = (delays.lowerBound, delays.upperBound)
    }

    /// The next delay: twice the one before, up to the longest. Over a network up to half of it is left out, by chance,
    /// so that those who have begun to wait together do not ask together.
    mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        defer { following = min(following * 2, longest) }
        guard isRemote else { return following }
        return following * Double.random(in: 0.5...1, using: &random)
    }
}

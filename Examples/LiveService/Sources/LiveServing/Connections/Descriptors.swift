import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

/// The process's file descriptors, which connections share with the store's files.
public enum Descriptors {
    /// The maximum number of descriptors, and of connections with the reserve.
    private static let most: rlim_t = 110_000

    /// Raises the limit of descriptors as far as the process may.
    ///
    /// Dispatch creates a descriptor for the first sleep on a clock, and ends the process if there is none left. So
    /// the first sleep happens now.
    public static func prepare() async throws {
        var limit = rlimit()
        if getrlimit(files, &limit) == 0, limit.rlim_cur < min(limit.rlim_max, most) {
            limit.rlim_cur = min(limit.rlim_max, most)
            _ = setrlimit(files, &limit)
        }
        try await ContinuousClock().sleep(for: .nanoseconds(1))
    }

    /// How many connections may be open, while enough descriptors remain for everything else.
    static var forConnections: Int {
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return 200 }
        // The event loop of each core has three.
        return max(Int(min(limit.rlim_cur, most)) - 40 - 3 * System.coreCount, 8)
    }

    #if canImport(Glibc)
        private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let files = RLIMIT_NOFILE
    #endif
}

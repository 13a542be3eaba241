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

/// The number of files and connections that the process may open.
enum DescriptorLimit {
    /// Raises it as far as the system allows, also for the processes that are started later.
    ///
    /// - Returns: The limit.
    @discardableResult
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(files, &limit)
        guard getrlimit(files, &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
        private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let files = RLIMIT_NOFILE
    #endif
}

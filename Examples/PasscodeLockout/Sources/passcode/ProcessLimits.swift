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

/// Limits that the process sets and checks before it does anything else.
enum ProcessLimits {
    /// Keeps the memory of a crash out of files. On Linux it is also kept from programs that the kernel hands it to, which
    /// a limit of files does not concern, and from debuggers of the same user.
    static func forbidDumps() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_CORE, &limit)
        #endif
        #if os(Linux) || os(Android)
            // `prctl(PR_SET_DUMPABLE, 0, …)`, looked up by its name: Swift sees no function with variable arguments.
            let setDumpable: CInt = 4
            guard let prctl = dlsym(nil, "prctl") else { return }
            _ = unsafeBitCast(prctl, to: ProcessControl.self)(setDumpable, 0, 0, 0, 0)
        #endif
    }

    #if os(Linux) || os(Android)
        private typealias ProcessControl =
            @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
    #endif

    /// Whether the process may open as many files as it needs. Must be asked before anything asynchronous: without
    /// descriptors the system's queues end the process with a trap.
    static var hasEnoughDescriptors: Bool {
        var opened: [CInt] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < neededDescriptors {
            // Duplicated, since no file is certainly readable. If standard input is closed, nothing is known.
            let descriptor = dup(STDIN_FILENO)
            guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
            opened.append(descriptor)
        }
        return true
    }

    /// Beside the standard streams: those of three stores with their journals, locks and watches, and of the queues.
    static let neededDescriptors = 32
}

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

/// Registers a function to call when `main` returns or something calls `exit`. A process forked from this one does not
/// call it at its end: such a process has no threads but the one that ends.
func callAtExit(_ body: @escaping @Sendable () -> Void) {
    let isFirst = exitCalls.withLock { calls in
        defer { calls.append((getpid(), body)) }
        return calls.isEmpty
    }
    guard isFirst else { return }
    atexit {
        for (process, body) in exitCalls.withLock({ $0 }) where process == getpid() { body() }
    }
}

private let exitCalls = LockedValue<[(process: Int32, body: @Sendable () -> Void)]>([])

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

/// The clock that all processes of a machine share.
enum MonotonicTime {
    /// Nanoseconds since a moment before all processes started.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Blocks the thread. Interruptions do not end the pause.
    static func pause(microseconds: Int) {
        var left = timespec(tv_sec: microseconds / 1_000_000, tv_nsec: microseconds % 1_000_000 * 1_000)
        var rest = timespec()
        while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }

    /// Repeats a question every half millisecond until the answer is not `nil`, or the time is up.
    static func poll<Answer>(atMost seconds: Double, _ body: () throws -> Answer?) rethrows -> Answer? {
        let end = now() + UInt64(seconds * 1e9)
        while true {
            if let answer = try body() { return answer }
            guard now() < end else { return nil }
            pause(microseconds: 500)
        }
    }
}

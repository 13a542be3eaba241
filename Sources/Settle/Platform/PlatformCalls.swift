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

/// The calling thread's identity, never 0 and unique among living threads.
package func currentThreadID() -> UInt {
    // A pointer, a signed number, or an unsigned one, as the C library has it.
    withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) }
}

/// The result of `currentTaskID()` outside of any task; every task's identity is larger.
var noTask: UInt { 1 }

/// The identity of the task whose code runs on this thread, even if it has called a run loop that runs other work.
func currentTaskID() -> UInt {
    withUnsafeCurrentTask { task in
        // A task is a reference to an object, whose address is unique among living tasks; `nil` is 0. Its bytes are
        // read in place, since the library hides its layout: a copy costs four calls, in every `+= 1`.
        max(withUnsafeBytes(of: task) { $0.load(as: UInt.self) }, noTask)
    }
}

/// Returns the user with whose rights the process acts.
func currentUserID() -> UInt32 { geteuid() }

/// Returns a variable of the process's environment, without a dictionary of all variables, which is slow to make.
func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// Returns the name of the machine; empty if the system does not provide it.
func currentHostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    // A name that was cut off has no zero at its end.
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The identity that the kernel gives to each boot; empty if it cannot be read.
func bootIdentity() -> String {
    var text = [CChar](repeating: 0, count: 64)
    #if canImport(Darwin)
        var size = text.count - 1
        guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return "" }
    #else
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return "" }
        defer { fclose(file) }
        guard fgets(&text, Int32(text.count), file) != nil else { return "" }
    #endif
    return String(decoding: text.prefix { $0 > 32 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The clock behind `ContinuousClock`, as a number that other processes can compare.
func timeSinceBoot() -> Duration {
    var now = timespec()
    #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC_RAW, &now)
    #else
        clock_gettime(CLOCK_BOOTTIME, &now)
    #endif
    return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
}

/// The clock `CLOCK_MONOTONIC`, in microseconds.
package func monotonicMicroseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
}

/// Yields the processor to another thread.
@usableFromInline
func yieldThread() {
    sched_yield()
}

/// Writes a line to standard error. Failures are ignored.
package func writeToStandardError(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Suspends the calling thread.
func pauseThread(for duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    var interrupted = timespec()
    while nanosleep(&rest, &interrupted) != 0, errno == EINTR { rest = interrupted }
}

/// Wall time in seconds since 2001.
///
/// Read at each write; asking the system directly costs half of what making a `Date` does.
///
/// - Parameter isExact: If false, the time may be that of the system's last tick, 1 to 4 ms ago on Linux, which halves
///   the cost again.
func wallTime(isExact: Bool) -> Double {
    var now = timespec()
    #if canImport(Darwin)
        clock_gettime(CLOCK_REALTIME, &now)
    #else
        clock_gettime(isExact ? CLOCK_REALTIME : CLOCK_REALTIME_COARSE, &now)
    #endif
    let secondsFrom1970To2001 = 978_307_200.0
    return Double(now.tv_sec) - secondsFrom1970To2001 + Double(now.tv_nsec) * 1e-9
}

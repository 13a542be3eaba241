import Glibc
import Synchronization

/// What one input may take of the processor's time. That of the clock would blame an input for what else the machine
/// does.
private let limit = UInt64(1_000_000_000)

/// The nanoseconds and the bytes of the input that took longest.
private let longest = Mutex((nanoseconds: UInt64(0), count: 0))

/// Calls `fuzz`, which each target has, and fails if the input takes too long.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let before = processorTime()
    fuzz(UnsafeBufferPointer(start: start, count: count))
    let taken = processorTime() - before
    longest.withLock { if taken > $0.nanoseconds { $0 = (taken, count) } }
    precondition(taken <= limit, "the input took \(taken) ns")
    return 0
}

/// Says at the end what the longest input took.
@_cdecl("LLVMFuzzerInitialize")
public func sayLongestAtExit(
    _: UnsafeMutablePointer<CInt>, _: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    atexit {
        let (nanoseconds, count) = longest.withLock(\.self)
        let text = "longest input: \(Double(nanoseconds / 1000) / 1000) ms of the processor's time, \(count) bytes\n"
        _ = Array(text.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
    return 0
}

private func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

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

/// Whether some work takes a time that is proportional to its size: with four times the size at most ten times as long,
/// where work that grows with the square takes sixteen times. The time is the processor's for the calling thread, the
/// shortest of several, however busy the machine is. A time of less than 20 ms with the larger size counts as
/// proportional, since steps that grow with the square would take seconds.
///
/// - Parameters:
///   - size: Some thousand steps.
///   - work: Does as much as its argument says.
package func isProportional(_ size: Int, _ work: (Int) -> Void) -> Bool {
    /// The shortest of some times, or the first one below a limit.
    func time(_ size: Int, tries: Int, enough limit: Double = 0) -> Double {
        var shortest = Double.infinity
        for _ in 0..<tries where shortest >= limit {
            let start = secondsOnProcessor()
            work(size)
            shortest = min(shortest, secondsOnProcessor() - start)
        }
        return shortest
    }
    let long = time(4 * size, tries: 3, enough: 0.02)
    return long < 0.02 || long < 10 * time(size, tries: 10)
}

/// The processor time of the calling thread.
package func secondsOnProcessor() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

import Dispatch

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

/// Returns the `SIGHUP` signals that the process receives from now on; several that arrive at once are one. The
/// signal never ends the process again, not even after the loop. Blocks the calling thread for a moment.
package func hangUpSignals() -> AsyncStream<Void> {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watch = HangUpWatch { continuation.yield() }
    continuation.onTermination = { _ in watch.end() }
    return signals
}

private final class HangUpWatch: @unchecked Sendable {
    // Sendable: the source is never replaced, and may be cancelled on any thread.
    private let source: any DispatchSourceSignal

    init(_ report: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "settle.hang-up"))
        source.setEventHandler { report() }
        #if canImport(Darwin)
            // A kernel queue only observes: the signal's default action would end the process. Install a handler rather
            // than `SIG_IGN`, which child processes would inherit.
            signal(SIGHUP) { _ in }
        #endif
        // On Linux the source installs its handler when it is registered, a moment later, on another thread.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isRegistered.signal() }
        source.activate()
        isRegistered.wait()
    }

    func end() { source.cancel() }
}

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

/// A terminal's signals to the program that draws on it, during this object's lifetime.
final class TerminalSignals {
    enum Signal: Sendable {
        /// The terminal's width has changed.
        case resized
        /// Ctrl-C.
        case interrupted
    }

    let stream: AsyncStream<Signal>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
        self.stream = stream
        sources = [(SIGWINCH, Signal.resized), (SIGINT, .interrupted)].map { number, meaning in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(meaning) }
            source.activate()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
        signal(SIGWINCH, SIG_DFL)
        signal(SIGINT, SIG_DFL)
    }
}

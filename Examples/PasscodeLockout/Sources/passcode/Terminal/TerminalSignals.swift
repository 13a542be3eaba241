import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a terminal tells the program that draws on it, for as long as this lives.
final class TerminalSignals {
    enum Signal: Sendable {
        /// The terminal has another width.
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

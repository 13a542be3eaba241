import Foundation

/// Calls a closure when SIGINT, SIGTERM or SIGHUP comes, which then end the process no more by themselves.
package final class SignalWatch: @unchecked Sendable {
    // Sendable: the sources are only kept.
    private let sources: [any DispatchSourceSignal]

    package init(_ handle: @escaping @Sendable (CInt) -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { handle(number) }
            source.resume()
            return source
        }
    }
}

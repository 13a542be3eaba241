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

/// A signal that asks a process to end.
public enum TerminationSignal: Sendable, Hashable, CaseIterable {
    /// `SIGTERM`: sent by service managers.
    case terminate
    /// `SIGINT`: Control-C in a terminal.
    case interrupt
    /// `SIGHUP`: the terminal has gone.
    case hangUp

    var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangUp: SIGHUP
        }
    }
}

extension TerminationSignal {
    /// Whether the process ignores the signal, as under `nohup`, or in the background of a script.
    fileprivate var isIgnored: Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Musl)
            let handler = action.__sa_handler.sa_handler
        #elseif canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// Runs work when a termination signal arrives, then lets the signal end the process as if it had not been handled.
///
/// Signals belong to the process, so there is one instance. It works on a queue of its own and uses only locks,
/// so it does not depend on the threads of the concurrency runtime.
package final class TerminationWatch: @unchecked Sendable {
    // Sendable: all state is guarded by `lock`.
    package static let shared = TerminationWatch()
    private let lock = Lock()
    private let queue = DispatchQueue(label: "settle.termination")
    private var sources: [TerminationSignal: any DispatchSourceSignal] = [:]
    private var work: [TerminationSignal: [@Sendable () -> Void]] = [:]

    package func add(_ signals: Set<TerminationSignal>, _ body: @escaping @Sendable () -> Void) {
        var registrations: [DispatchSemaphore] = []
        lock.withLock {
            // An ignored signal would not have ended the process.
            for termination in signals where !termination.isIgnored {
                work[termination, default: []].append(body)
                guard sources[termination] == nil else { continue }
                let source = DispatchSource.makeSignalSource(signal: termination.number, queue: queue)
                source.setEventHandler { [self] in end(by: termination) }
                #if canImport(Darwin)
                    // A kernel queue only observes: the signal's default action would still end the process. Install a
                    // handler rather than `SIG_IGN`, which child processes would inherit: the signal could not end
                    // them.
                    signal(termination.number) { _ in }
                #endif
                // On Linux the source installs its handler when it is registered, a moment later, on another thread.
                // Ignored before that, a signal would be lost; ignored after it, it would never arrive.
                let isRegistered = DispatchSemaphore(value: 0)
                source.setRegistrationHandler { isRegistered.signal() }
                source.activate()
                registrations.append(isRegistered)
                sources[termination] = source
            }
        }
        // Without the lock: a signal that arrives meanwhile needs it on the queue of the registrations.
        for isRegistered in registrations { isRegistered.wait() }
    }

    private func end(by termination: TerminationSignal) {
        let bodies = lock.withLock { work[termination] ?? [] }
        for body in bodies { body() }
        signal(termination.number, SIG_DFL)
        kill(getpid(), termination.number)
    }
}

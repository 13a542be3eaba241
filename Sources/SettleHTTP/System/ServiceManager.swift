public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The service manager that started the program, such as systemd, which receives its state by the protocol of
/// `sd_notify`.
///
/// ```swift
/// let manager = ServiceManager()
/// async let _: Void = manager.reloadOnHangUp(store)  // systemctl reload
/// try? manager.ready()                               // once the program takes requests
/// ```
///
/// Without a service manager, as in a shell, nothing is sent, and nothing fails. A program has one value, whose copies
/// share what the program has reported. The guide <doc:SettingsOverHTTP> has a unit file.
public struct ServiceManager: Sendable {
    /// The error of a message that could not be sent.
    public struct MessageError: Error, Hashable, CustomStringConvertible {
        public let description: String
    }

    private enum Phase: Sendable {
        case starting, running, stopping
    }

    private let address: String?
    private let phase = LockedValue(Phase.starting)

    /// Creates the service manager that `$NOTIFY_SOCKET` names: an absolute path, or an abstract name after `@`.
    public init() {
        self.init(address: ProcessInfo.processInfo.environment["NOTIFY_SOCKET"])
    }

    package init(address: String?) {
        self.address = address?.isEmpty == false ? address : nil
    }

    /// Whether a service manager started the program and receives messages.
    public var isPresent: Bool { address != nil }

    /// Reports that the program has started, or has ended a reload: `READY=1`.
    public func ready() throws(MessageError) {
        phase.withLock { $0 = .running }
        try send("READY=1")
    }

    /// Reports that the program has begun to stop: `STOPPING=1`.
    public func stopping() throws(MessageError) {
        phase.withLock { $0 = .stopping }
        try send("STOPPING=1")
    }

    /// Reports the state of the program as a text for people: `STATUS=…`. A line break becomes a space.
    public func report(_ status: String) throws(MessageError) {
        try send("STATUS=\(status.split(whereSeparator: \.isNewline).joined(separator: " "))")
    }

    /// Reloads a store, and reports the begin and the end: `RELOADING=1`, which has the time as systemd's type
    /// `notify-reload` needs it, and `READY=1`. Before ``ready()`` and after ``stopping()``, nothing is reported: the
    /// service manager would take the program for one that runs.
    ///
    /// - Throws: The error of `SettingsStore.reload()`; or ``MessageError``, after the reload.
    public func reload(_ store: SettingsStore) async throws {
        let begin = await sendIfRunning("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())")
        let reload: Result<Void, any Error>
        do {
            reload = .success(try await store.reload())
        } catch {
            reload = .failure(error)
        }
        // Also after an error: otherwise the service manager would wait for the end of the reload.
        let end = await sendIfRunning("READY=1")
        try reload.get()
        try begin.get()
        try end.get()
    }

    /// Reloads a store for each `SIGHUP`, until the task is cancelled: then a reload in progress still ends first.
    ///
    /// From this call on the signal never ends the process, also after the task is cancelled.
    ///
    /// An error of a reload does not end this: the store reports those of its sources on `SettingsStore.issues`. Leave
    /// `TerminationSignal.hangUp` out of `flushOnTermination`, whose signals end the process.
    public func reloadOnHangUp(_ store: SettingsStore) async {
        for await _ in await runBlocking({ hangUpSignals() }) { try? await reload(store) }
    }

    /// Sends a message of a reload. The caller's actor does not wait for a service manager that has no room for it.
    private func sendIfRunning(_ message: String) async -> Result<Void, MessageError> {
        await runBlocking {
            Result { () throws(MessageError) in
                if phase.withLock({ $0 == .running }) { try send(message) }
            }
        }
    }

    private func send(_ message: String) throws(MessageError) {
        guard let address else { return }
        do throws(SystemError) {
            try LocalDatagram.send(Array(message.utf8), to: address)
        } catch {
            throw MessageError(description: "The service manager at “\(address)” can't be notified: \(error).")
        }
    }
}

import Logging
import Settle
import UnixSignals

/// The time between the signal to stop and the stop, in which the service says that it is not ready.
struct StopNotice: Sendable {
    let load: ServiceLoad
    let settings: ShutdownSettings
    let clock: any Clock<Duration>
    let logger: Logger

    /// Waits for a signal, and then for the end of the grace or for another signal.
    func wait(for signals: some AsyncSequence<UnixSignal, Never> & Sendable) async {
        await withTaskGroup(of: Bool.self) { tasks in
            tasks.addTask { await secondOf(signals) }
            tasks.addTask { await endOfGrace(clock) }
            for await mayStop in tasks where mayStop { break }
            tasks.cancelAll()
        }
    }

    /// Returns whether the second signal has come.
    private func secondOf(_ signals: some AsyncSequence<UnixSignal, Never>) async -> Bool {
        for await _ in signals {
            if load.isStopping { return true }
            load.isStopping = true
            logger.notice("No longer ready; stopping in \(settings.grace). Another signal stops at once.")
        }
        return false
    }

    /// Returns whether the grace has passed since the first signal, by the setting's value of now.
    private func endOfGrace(_ clock: some Clock<Duration>) async -> Bool {
        for await isStopping in load.$isStopping where isStopping { break }
        let start = clock.now
        do {
            try await settings.$grace.forEachLatest { grace in
                // Cancelled for a newer value.
                guard (try? await clock.sleep(until: start.advanced(by: grace), tolerance: nil)) != nil else { return }
                throw GraceEnded()
            }
            return false
        } catch {
            return true
        }
    }

    private struct GraceEnded: Error {}
}

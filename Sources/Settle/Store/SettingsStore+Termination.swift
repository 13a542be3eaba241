extension SettingsStore {
    /// Saves everything when a termination signal comes, and then lets the signal end the process.
    ///
    /// One call is enough for the life of the process. It works even if every thread of the concurrency runtime is
    /// blocked. A signal that the process ignores, as under `nohup`, stays ignored. A program that handles these
    /// signals itself should call ``flushAndWait()`` there instead.
    ///
    /// - Parameter wakeUps: The signals to wait for; by default `SIGTERM` and `SIGINT`.
    public func flushOnTermination(_ wakeUps: Set<TerminationSignal> = [.terminate, .interrupt]) {
        TerminationWatch.shared.add(wakeUps) { [weak core] in
            // A failure can't be reported any more; the storage keeps the state before.
            try? core?.flushAndWait()
        }
    }
}

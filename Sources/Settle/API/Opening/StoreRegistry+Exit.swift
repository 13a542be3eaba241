import Dispatch

/// The end of the process: `main` returns, or something calls `exit`.
extension StoreRegistry {
    /// The time that the end of the process waits for all storages together.
    private static let exitLimit = DispatchTimeInterval.seconds(1)

    /// Registers the save of everything unsaved at the end of the process.
    func saveAtExit() {
        callAtExit { self.append(until: .now() + Self.exitLimit) }
    }

    /// Hands everything that is unsaved to the operating system. That suffices, because only this process ends.
    private func append(until due: DispatchTime) {
        let appends = stores.compactMap { $0.core.persister.beginAppend() }
        for append in appends where append.wait(timeout: due) == .timedOut { return }
    }
}

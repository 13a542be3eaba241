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

/// The end of the process: `main` returns, or something calls `exit`.
extension StoreRegistry {
    /// How long the end of the process waits for all storages together.
    private static let exitLimit = DispatchTimeInterval.seconds(1)
    /// A process that was forked from this one has no thread that saves.
    private static let process = getpid()

    /// Has what the stores of ``shared`` have not saved yet saved at the end of the process.
    static func saveAtExit() {
        _ = process
        atexit {
            guard getpid() == StoreRegistry.process else { return }
            StoreRegistry.shared.append(until: .now() + StoreRegistry.exitLimit)
        }
    }

    /// Hands everything that is unsaved to the operating system. That suffices, because only this process ends.
    private func append(until due: DispatchTime) {
        let appends = stores.compactMap { $0.core.persister.beginAppend() }
        for append in appends where append.wait(timeout: due) == .timedOut { return }
    }
}

extension SettingsStore {
    /// Saves everything that has been written so far; returns when it is on stable storage.
    ///
    /// Stable storage is the journal, if not the readable file: another opening finds everything, and somebody who looks into the
    /// file may find what it was a moment ago. Ask for the file before it is shown, copied or handed to another program.
    ///
    /// - Parameter toFile: Whether the readable file is to have everything too.
    /// - Throws: ``SettingsError`` if it could not be saved; nothing is lost then, and the store goes on trying. If the file was asked
    ///   for, also if it can't be written now, such as while an edit stands there that can't be read.
    public func flush(toFile: Bool = false) async throws {
        let core = try open()
        if toFile { try await core.flushToFile() } else { try await core.flush() }
    }

    /// Saves everything that has been written so far, for a caller that can't wait asynchronously. It blocks the calling
    /// thread, and works even if every thread of the concurrency runtime is blocked.
    ///
    /// - Throws: ``SettingsError`` if it could not be saved, or if it is called inside of a write of this store, such as the
    ///   closure of `update`: what that writes is not published yet, and the save may have to wait for its end.
    public func flushAndWait() throws {
        try open().flushAndWait()
    }

    /// Waits until the task is cancelled or the store is closed, then saves everything and returns.
    ///
    /// This is the `run()` of a service. A service group of swift-service-lifecycle cancels its services when one of them fails. At a
    /// graceful shutdown, such as after `SIGTERM`, it asks and does not cancel; `cancelWhenGracefulShutdown` makes one of the other:
    ///
    /// ```swift
    /// struct SettingsService: Service {
    ///     let store: SettingsStore
    ///
    ///     func run() async throws {
    ///         try await cancelWhenGracefulShutdown { try await store.run() }
    ///     }
    /// }
    /// ```
    ///
    /// As the first service of its group it is the last to end, so what the others write while they end is saved too.
    ///
    /// - Throws: ``SettingsError`` if the last save failed.
    public func run() async throws {
        try await core.run()
    }
}

extension SettingsStore {
    /// The file, or another storage, in which the store is kept.
    public var file: File { File(store: self) }

    /// The storage of a store: a readable file with its journal, or another storage.
    ///
    /// A view without state of its own; it keeps the store open.
    public struct File: Sendable {
        package let store: SettingsStore
    }
}

extension SettingsStore.File {
    /// Saves everything that has been written so far, and brings the readable file up to date: call it before the file
    /// is shown, copied or handed to another program.
    ///
    /// - Throws: ``SettingsError`` as ``SettingsStore/flush()`` does, and also if the file can't be written now, such
    ///   as while it contains an edit that can't be read.
    public func flush() async throws {
        let core = try store.open()
        try await core.persister.flushToFile()
        try core.throwRefusedAssignment()
    }

    /// Saves everything that has been written so far, and removes earlier values from the files of ``FileStorage``: the
    /// journal, the history, the previous version of the file, and values kept in case an edit can't be used,
    /// except those that are in force because it could not. To remove a single key from the history, call
    /// ``SettingsStore/History/forget(_:)``.
    ///
    /// Use it for values that must not be found any more, such as a replaced key. Files that were set aside because
    /// they were damaged stay, and so do copies that others have made; the remains of removed files on the disk are
    /// beyond a program's reach.
    ///
    /// - Throws: ``SettingsError`` if saving or removing failed; then earlier values may still be there.
    public func eraseEarlierValues() async throws {
        try await store.open().persister.flushToFile(for: .erasing)
    }

    /// The result of loading the storage when it was opened.
    ///
    /// It distinguishes a first run from settings that were lost or recovered, and doesn't change while the store is
    /// open. Damage is reported until it is repaired, which the first call that writes does. A file that was removed
    /// counts as removed until something has been stored again.
    ///
    /// ```swift
    /// let store = try await SettingsStore.open("com.example.app")
    /// switch store.file.loadOutcome {
    /// case .absent: break                                     // the first run
    /// case .intact, .recovered(_, isComplete: true): break    // the newest values
    /// case .recovered(let description, isComplete: false), .removed(let description):
    ///     throw LockError.tampered(description)               // earlier values, or defaults
    /// }
    /// ```
    public var loadOutcome: StorageContents.Outcome { store.core.loadOutcome }

    /// Returns whether a value is stored at a path or within it, or was, to the extent that the storage still shows it:
    /// in the journal or the previous version of a file.
    ///
    /// For code that must not mistake settings that were edited away for new ones: a load treats such a file as the
    /// intact work of a user. The absence of traces proves nothing: journals are renewed, and files can be removed.
    ///
    /// - Throws: ``SettingsError`` if the storage can't be read.
    public func hasTraces(at path: some SettingKeyConvertible) async throws -> Bool {
        try await store.open().persister.hasTraces(of: SettingKey(given: path))
    }
}

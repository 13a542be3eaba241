import Synchronization

/// A secret store in a folder that only the user can enter, with one file for each secret.
///
///     secrets/                                  0700
///     secrets/service.token                     0600: the secret of the setting `service.token`
///     secrets/.service.token.0123456789abcdef.tmp   0600: a secret being written
///
/// A write makes a new file, syncs it, renames it over the old one, and syncs the folder. So every reader, even after a
/// crash, finds the old secret or the new one. The file has the text of the secret and nothing else; if that ends with
/// a line break, it has another one, because a reader drops one, as from a file that was written by hand.
///
/// A folder that belongs to another user, or that others may enter, is neither read nor written: its contents could be
/// known to others already, or come from them.
final class SecretFolder: SecretStore {
    private struct Watching: Sendable {
        var watch: (any FileWatch)?
        var isClosed = false
    }

    private let folder: FilePath
    private let operations: FileOperations
    private let fileWatching: any FileWatching
    private let watching = LockedValue(Watching())
    /// Whether this process has synced the names of the folder and of those around it.
    private let isInPlace = Atomic(false)

    /// - Parameter folder: An absolute path. A missing folder is made by the first write.
    convenience init(_ folder: FilePath) {
        self.init(folder, calls: POSIXSystemCalls(), watching: SystemFileWatching.shared)
    }

    init(_ folder: FilePath, calls: any SystemCalls, watching: any FileWatching) {
        self.folder = folder.withoutTrailingSlashes
        operations = FileOperations(calls)
        fileWatching = watching
    }

    // MARK: Reading

    func secret(forKey key: SettingKey) throws(StorageError) -> String? {
        let path = try file(of: key)
        guard try isUsable(), let bytes = try contents(of: path) else { return nil }
        // The contents are secret, and so are parts of them.
        guard let text = String(validating: bytes.withoutFinalLineBreak, as: UTF8.self) else {
            throw .unreadable(path, "it is not UTF-8 text")
        }
        return text
    }

    private func contents(of path: FilePath) throws(StorageError) -> [UInt8]? {
        do throws(FileError) {
            return try operations.contents(of: path, limit: SecretsFolderSource.sizeLimit)
        } catch {
            switch error.cause {
            case .notFound: return nil
            case .fileTooLarge: throw .unreadable(path, "it has more than \(SecretsFolderSource.sizeLimit) bytes")
            default: throw .unreadable(path, error)
            }
        }
    }

    /// Returns whether there is a folder.
    ///
    /// - Throws: ``StorageError`` if it is not this user's alone.
    private func isUsable() throws(StorageError) -> Bool {
        guard let status = try StorageError.reading(folder, operations.statusIfThere(at: folder)) else { return false }
        guard status.kind == .folder else { throw .unreadable(folder, "it is \(status.kind), not a folder") }
        guard status.owner.user == currentUserID(), status.permissions & 0o077 == 0 else {
            let mode = String(status.permissions, radix: 8)
            throw .unreadable(
                folder,
                "it belongs to user \(status.owner.user) and has the mode \(mode), but a folder of secrets must belong to "
                    + "user \(currentUserID()) and have the mode 700")
        }
        return true
    }

    /// - Throws: ``StorageError`` if the key can't be the name of a file.
    private func file(of key: SettingKey) throws(StorageError) -> FilePath {
        let name = key.description
        guard !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0),
            name.utf8.count <= FileNames.lengthLimit
        else {
            throw StorageError(
                .unsupportedValue,
                "“\(key)” can't be the name of a file in \(folder.quoted): it has a slash, a null, or more than "
                    + "\(FileNames.lengthLimit) bytes.")
        }
        return folder.appending(name)
    }

    // MARK: Writing

    func setSecret(_ secret: String?, forKey key: SettingKey) throws(StorageError) {
        let path = try file(of: key)
        guard let secret else { return try remove(path) }
        var bytes = Array(secret.utf8)
        if bytes.last == UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        guard bytes.count <= SecretsFolderSource.sizeLimit else {
            throw .tooLarge(bytes.count, limit: SecretsFolderSource.sizeLimit)
        }
        try makeUsable()
        try replace(path, by: bytes)
    }

    private func replace(_ path: FilePath, by bytes: [UInt8]) throws(StorageError) {
        let names = FileNames(path).names(ofCompanion: path)
        operations.removeAbandonedFiles(names)
        for attempt in 1...Self.attempts {
            var replacement = FileReplacement(operations, names: names)
            do throws(FileError) {
                return try replacement.run(bytes)
            } catch {
                // Another process may have taken the new file for an abandoned one, just before it was locked.
                guard error.cause == .notFound, !replacement.isInPlace, attempt < Self.attempts else {
                    throw .saveFailed(path, error, isInPlace: replacement.isInPlace)
                }
            }
        }
    }

    private static let attempts = 8

    private func makeUsable() throws(StorageError) {
        if try !isUsable() {
            isInPlace.store(false, ordering: .relaxed)
            try StorageError.saving(folder, operations.makeFolders(folder))
            // Another user may have been faster.
            _ = try isUsable()
        }
        guard !isInPlace.load(ordering: .relaxed) else { return }
        // Even if it was there: the process that has made it may have been killed before it synced the names.
        try synchronizeNames()
        isInPlace.store(true, ordering: .relaxed)
    }

    /// Syncs the names of the folder and of those around it to stable storage.
    private func synchronizeNames() throws(StorageError) {
        var path = folder
        while path.folder != path {
            path = path.folder
            do throws(FileError) {
                try operations.synchronizeFolder(path)
            } catch {
                // A folder that may not even be read was made by others.
                guard error.cause == .permissionDenied || error.cause == .notPermitted else {
                    throw .notSaved(folder, error)
                }
            }
        }
    }

    private func remove(_ path: FilePath) throws(StorageError) {
        guard try isUsable() else { return }
        operations.removeAbandonedFiles(FileNames(path).names(ofCompanion: path))
        do throws(FileError) {
            do throws(FileError) {
                try operations.remove(path)
            } catch {
                guard error.cause == .notFound else { throw error }
            }
            // Even if nothing was there: the sync after an earlier removal may have failed.
            try operations.synchronizeFolder(folder)
        } catch {
            throw StorageError(
                .writeFailed, "\(path.quoted) was not removed for good: \(error).", errno: error.cause.number)
        }
    }

    // MARK: Watching

    func watch(_ changed: @escaping @Sendable () -> Void) {
        watching.withLock { watching in
            guard !watching.isClosed else { return }
            watching.watch = fileWatching.watch([folder: ["."]]) { _ in changed() }
        }
    }

    func location(of key: SettingKey) -> String { folder.appending(key.description).quoted }

    func close() async {
        watching.withLock { watching in
            watching.isClosed = true
            watching.watch?.cancel()
            watching.watch = nil
        }
    }
}

extension StorageError {
    static func closed(_ path: FilePath) -> StorageError {
        StorageError(.closed, "The storage for “\(path)” has been closed.")
    }

    static func unreadable(_ path: FilePath, _ reason: String, errno: Int32? = nil) -> StorageError {
        StorageError(.unreadable, "“\(path)” can't be read: \(reason).", errno: errno)
    }

    package static func unreadable(_ path: FilePath, _ error: FileError) -> StorageError {
        unreadable(path, "\(error)", errno: error.cause.number)
    }

    static func unreadable(_ path: FilePath, _ kind: FileStatus.Kind) -> StorageError {
        unreadable(path, "it is \(kind), not a regular file")
    }

    static func newer(_ journal: FilePath, _ reason: JournalError) -> StorageError {
        StorageError(
            .unreadable,
            "“\(journal)” can't be read. \(reason) It is left unchanged, and nothing is saved: use the newer program.")
    }

    static func unusable(_ path: FilePath, _ reason: any Error) -> StorageError {
        StorageError(
            .unreadable,
            "“\(path)” can't be used as it is. \(reason) The last good values stay in force, and the file is not "
                + "overwritten until it is corrected.")
    }

    static func nameTooLong(_ path: FilePath, _ length: Int) -> StorageError {
        unreadable(
            path,
            "its name has \(length) bytes, and the limit is \(FileNames.lengthLimit), because the names of the files beside "
                + "it are longer")
    }

    static func unknownExtension(_ path: FilePath) -> StorageError {
        StorageError(
            .unknownFormat,
            "“\(path)” can't be opened: its extension does not determine a format. Pass a format, or a name "
                + "with the extension \(FileFormat.knownExtensions.joined(separator: " or ")), or with none.")
    }

    static func notWritten(_ path: FilePath, _ reason: String, errno: Int32? = nil) -> StorageError {
        StorageError(.unreadable, "“\(path)” is not overwritten because \(reason)", errno: errno)
    }

    /// Returns the same error, with its outcome unknown or not.
    func leavingOutcomeUnknown(_ isUnknown: Bool = true) -> StorageError {
        var error = self
        error.isOutcomeUnknown = isUnknown
        return error
    }

    /// - Parameters:
    ///   - kind: The kind of what has the file's name, if that is not a file.
    ///   - aside: The new name that it was given.
    static func removed(
        _ path: FilePath, replacedBy kind: FileStatus.Kind? = nil, setAsideAs aside: FilePath? = nil,
        because error: StorageError? = nil
    ) -> StorageError {
        var what = kind.map { "has been replaced by \($0)" } ?? "has been removed"
        if let aside { what += ", which was set aside as “\(aside.name)”" }
        let end = error.map { "could not be written again: \($0)" } ?? "is written again with them."
        return StorageError(
            .unreadable, "“\(path)” \(what). The last good values stay in force, and the file \(end)",
            errno: error?.errno)
    }

    /// Returns the error for an unusable version of the file that was given another name.
    static func setAside(_ path: FilePath, as aside: FilePath) -> StorageError {
        StorageError(
            .unreadable,
            "A version of “\(path)” that can't be used was set aside as “\(aside.name)”. Changes that only that "
                + "version has are not in force.")
    }

    /// Returns the error for a version that was replaced and can't be read, so that an edit in it may not be known.
    static func replacedUnread(_ names: FileNames, _ error: StorageError) -> StorageError {
        StorageError(
            .writeFailed,
            "“\(names.file)” has the new values, but the version that they have replaced may have been edited. "
                + "\(error) The next save reads it again first, and sets it aside if it still can't be read.",
            errno: error.errno)
    }

    static func pastNotKept(_ path: FilePath, _ error: FileError) -> StorageError {
        StorageError(
            code(for: error), "The history in “\(path)” was lost: \(error). All settings are saved.",
            errno: error.cause.number)
    }

    static func anotherPast(_ path: FilePath, _ token: ChangeToken) -> StorageError {
        StorageError(
            .conflict,
            "The token \(token) does not belong to the history of “\(path)”: another history, such as that of a "
                + "restored backup, has replaced it."
        )
    }

    static func tooLarge(_ path: FilePath, toHold size: Int) -> StorageError {
        StorageError(
            .unsupportedValue,
            "“\(path)” can't hold its values: they need \(size) bytes, and the limit is \(FileSession.sizeLimit).")
    }

    static func tooLarge(_ path: FilePath, _ key: SettingKey, _ size: Int, _ limit: Int) -> StorageError {
        StorageError(
            .unsupportedValue,
            "“\(key)” was not saved: its value needs \(size) bytes, and the journal of “\(path)” holds at most "
                + "\(limit).")
    }

    static func journalFull(_ path: FilePath, _ limit: Int) -> StorageError {
        StorageError(
            .noSpace,
            "“\(path)” was not saved: its journal would exceed its limit of \(limit) bytes, and can't be replaced by "
                + "a smaller one. Make the file writable: correct it if it can't be read, and allow writing in its "
                + "folder.")
    }

    /// Returns the error for a failed step that writing needs. Nothing was written.
    static func notSaved(_ path: FilePath, _ error: FileError) -> StorageError {
        guard error.cause != .wouldBlock else {
            return StorageError(
                .locked,
                "“\(path)” was not saved: \(holder(error.holder)) held its lock for too long. The file is unchanged.",
                errno: error.cause.number)
        }
        return saveFailed(path, error, isInPlace: false)
    }

    /// Returns the holder of a lock, as the subject of a sentence.
    static func holder(_ process: Int32?) -> String {
        process.map { "process \($0)" } ?? "another process"
    }

    /// Returns the error for a file that could not be locked, for another reason than that it is locked already.
    static func notLocked(_ path: FilePath, _ error: FileError) -> StorageError {
        StorageError(
            code(for: error), "“\(path)” can't be locked: \(error). No named lock can be acquired without it.",
            errno: error.cause.number)
    }

    /// Runs `body`, mapping its error to one that says that the file can't be read.
    static func reading<Result>(
        _ path: @autoclosure () -> FilePath, _ body: @autoclosure () throws(FileError) -> Result
    ) throws(StorageError) -> Result {
        do { return try body() } catch { throw .unreadable(path(), error) }
    }

    /// Runs `body`, mapping its error to one that says that nothing was saved to the file.
    static func saving<Result>(
        _ path: @autoclosure () -> FilePath, _ body: @autoclosure () throws(FileError) -> Result
    ) throws(StorageError) -> Result {
        do { return try body() } catch { throw .notSaved(path(), error) }
    }

    private static func code(for error: FileError) -> Code {
        switch error.cause {
        case .noSpace, .quotaExceeded, .fileTooLarge: .noSpace
        case .permissionDenied, .notPermitted, .readOnlyFileSystem: .permissionDenied
        default: .writeFailed
        }
    }

    static func saveFailed(_ path: FilePath, _ error: FileError, isInPlace: Bool) -> StorageError {
        let consequence =
            isInPlace
            ? "The file has the new values, but may lose them if the power fails."
            : "The file is unchanged."
        return StorageError(
            code(for: error), "“\(path)” was not saved: \(error). \(consequence)", errno: error.cause.number)
    }
}

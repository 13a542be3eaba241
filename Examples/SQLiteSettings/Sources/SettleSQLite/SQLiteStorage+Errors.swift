import GRDB
import Settle

extension SQLiteStorage {
    /// The file's path, in quotation marks.
    var name: String { "“\(writer.path)”" }

    /// Returns what an error of SQLite means for the store.
    ///
    /// - Parameters:
    ///   - code: The kind of an error that says no more.
    ///   - isAppend: Whether a batch was to be stored.
    func storageError(
        _ error: any Error, _ code: StorageError.Code, isAppend: Bool = false
    ) -> StorageError {
        if let error = error as? StorageError { return error }
        guard let failure = error as? DatabaseError else { return StorageError(code, "\(name): \(error)") }
        // A commit whose sync has failed is undone, but its pages may have reached the log, and be found there after a
        // crash of the machine. All other errors come before.
        let isOutcomeUnknown = isAppend && failure.resultCode == .SQLITE_IOERR
        return StorageError(
            failure.storageCode ?? code, "\(name): \(failure.withoutArguments)", isOutcomeUnknown: isOutcomeUnknown)
    }
}

extension DatabaseError {
    /// The error's text. Its own description has the statement's arguments if the program wants them in there: values,
    /// and secrets among them.
    fileprivate var withoutArguments: String {
        "SQLite error \(resultCode.rawValue)" + (message.map { ": \($0)" } ?? "")
            + (sql.map { " - while executing `\($0)`" } ?? "")
    }

    fileprivate var storageCode: StorageError.Code? {
        switch resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
        case .SQLITE_FULL: .noSpace
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: .permissionDenied
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .unreadable
        case .SQLITE_TOOBIG: .unsupportedValue
        default: nil
        }
    }
}

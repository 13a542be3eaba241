// Settle 0.1.0-dev: copy this folder. The README of the example names the products that it needs.

internal import GRDB
internal import Settle

extension SQLiteStorage {
    /// The file's path, in quotation marks.
    var name: String { "“\(writer.path)”" }

    /// Runs `body`, mapping errors of SQLite to those of a storage. Since `body` can't suspend, it calls SQLite on this
    /// thread.
    ///
    /// - Parameters:
    ///   - code: The kind of an error that says no more.
    ///   - isAppend: Whether a batch is to be stored.
    func mappingErrors<Value>(
        to code: StorageError.Code, isAppend: Bool = false, _ body: () throws -> Value
    ) throws(StorageError) -> Value {
        do {
            return try body()
        } catch let error as StorageError {
            throw error
        } catch let error as DatabaseError {
            // A commit whose sync has failed is undone: no connection finds it, and the next commit overwrites its
            // pages in the log. But if SQLite recovers the log before that, it may find it there: after all processes
            // have ended, or one was killed at the end of a commit. All other errors come before.
            let isOutcomeUnknown = isAppend && error.resultCode == .SQLITE_IOERR
            throw StorageError(
                error.storageCode ?? code, "\(name): \(error.withoutArguments)", isOutcomeUnknown: isOutcomeUnknown)
        } catch {
            throw StorageError(code, "\(name): \(error)")
        }
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

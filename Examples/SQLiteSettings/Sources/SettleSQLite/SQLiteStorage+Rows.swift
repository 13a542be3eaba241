import Foundation
public import GRDB
public import Settle
import Synchronization

/// The rows that a program stores with its settings.
extension SQLiteStorage {
    /// The key that names the rows of a commit in its batch. It is not stored.
    static let ticketKey: SettingKey = "SettleSQLite"

    /// Commits settings and rows of the program in one transaction of the database: both are stored, or neither.
    ///
    /// ```swift
    /// try await storage.commit(in: store, author: "notes") {
    ///     settings.lastNumber += 1
    ///     return settings.lastNumber
    /// } rows: { database, number in
    ///     try database.execute(sql: "INSERT INTO notes (number, text) VALUES (?, ?)", arguments: [number, text])
    /// }
    /// ```
    ///
    /// `body` runs first, as the closure of the store's own commit, and again if others were faster. `rows` runs once
    /// for each attempt to store the batch, within the transaction that stores it; an attempt that fails leaves
    /// nothing. Only one of these commits runs at a time. Other commits of the store may share the transaction: if
    /// `rows` throws, these run again without it. A value that can't be encoded is left out with
    /// ``SettingsError/Code/encodingFailed``; the other values and the rows are stored.
    ///
    /// `store.keys` and the store's changes have a value under `SettleSQLite`, which connects the two closures. The
    /// database has no such row.
    ///
    /// - Parameters:
    ///   - store: The store that was opened with this storage.
    ///   - author: The name for `Change.author`.
    ///   - body: Writes the settings, and returns a result.
    ///   - rows: Writes the rows, given the result. It must use this connection only: any other access to the database
    ///     would wait for the transaction, which waits for it.
    /// - Returns: The result of `body`.
    /// - Throws: What `body` or `rows` throws, and what the store's own commit throws. Nothing is stored then, except
    ///   after `encodingFailed`, and unless the error says that it may have been: if the store stores the settings
    ///   later, it stores the rows with them.
    @discardableResult
    public func commit<Result: Sendable>(
        in store: SettingsStore, author: String? = nil, _ body: () throws -> Result,
        rows: @escaping @Sendable (Database, Result) throws -> Void
    ) async throws -> Result {
        await turnstile.enter()
        defer { turnstile.leave() }
        let tickets = state.withLock { Array($0.rows.keys) }
        // If an earlier commit stands, its ticket must not be replaced before its rows are stored. One that has been
        // given up is not in force any more, and a flush would throw the loss of its values.
        if tickets.contains(where: { store.keys[Self.ticketKey] == .string($0) }) { try await store.flush() }
        state.withLock { $0.rows = [:] }
        let ticket = UUID().uuidString
        let result: Result
        do {
            result = try await store.commit(author: author) {
                if let failure = state.withLock({ $0.rows[ticket]?.failure }) { throw failure }
                let value = try body()
                let pending = ProgramRows { database in try rows(database, value) }
                state.withLock { $0.rows[ticket] = pending }
                let mark = SettingValue.string(ticket)
                try store.keys.setValue(mark, forKey: Self.ticketKey)
                return value
            }
        } catch {
            // A commit that may be stored stands: the store appends its batch again, and the rows with it.
            if store.keys[Self.ticketKey] != .string(ticket) { state.withLock { $0.rows[ticket] = nil } }
            throw error
        }
        guard state.withLock({ $0.rows.removeValue(forKey: ticket) }) == nil else {
            throw StorageError(
                .unsupported, "The store has another storage: the settings were stored without the rows.")
        }
        return result
    }

    /// Writes the rows that belong to a batch.
    func addRows(of batch: StorageBatch, to database: Database) throws {
        guard let ticket = batch.ticket, let rows = state.withLock({ $0.rows[ticket] }) else { return }
        do { try rows.write(database) } catch { throw RowsFailure(ticket: ticket, reason: error) }
    }

    /// Records an error of the program's closure. As a conflict, it lets all commits of the batch run again, and
    /// the one whose rows have failed throws it then. The sentence is without the error, which may show values.
    func refuse(_ failure: RowsFailure) -> StorageError {
        state.withLock { $0.rows[failure.ticket]?.failure = failure.reason }
        return StorageError(.conflict, "The rows of a commit in \(name) could not be written.")
    }
}

/// Rows that wait for the batch of their commit.
struct ProgramRows: Sendable {
    let write: @Sendable (Database) throws -> Void
    /// Why they could not be written.
    var failure: (any Error)?

    init(_ write: @escaping @Sendable (Database) throws -> Void) { self.write = write }
}

/// An error of the closure that writes rows, which has ended the transaction.
struct RowsFailure: Error {
    let ticket: String
    let reason: any Error
}

extension StorageBatch {
    /// Names the rows of a commit in the batch.
    var ticket: String? {
        guard case .string(let ticket)?? = values[SQLiteStorage.ticketKey] else { return nil }
        return ticket
    }

    /// The values to store. Undoing a commit removes its ticket, or brings back an earlier one.
    var settings: [SettingKey: SettingValue?] { values.filter { $0.key != SQLiteStorage.ticketKey } }
}

// Settle 0.1.0-dev: copy this folder. The README of the example names the products that it needs.

public import GRDB
public import Settle
import Synchronization

/// The rows that a program stores with its settings.
///
/// Each attempt to commit gets a ticket, a number, and adds it to a list that is written as a setting: so the batch
/// that has the settings of the attempt has its ticket, too, and no batch has it once the attempt is undone.
extension SQLiteStorage {
    /// The key of the list of tickets that are not stored yet, in the order of their attempts. The table has no such
    /// key.
    static let ticketKey: SettingKey = "SettleSQLite-tickets"

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
    /// nothing. Other commits of the store may share the transaction, and their rows are written in the order of the
    /// commits. If `rows` throws, the others run again without it. A value that can't be encoded is left out with
    /// ``SettingsError/Code/encodingFailed``; the other values and the rows are stored.
    ///
    /// `store.keys` and the store's changes have a list of numbers under the key `SettleSQLite-tickets`, which connects
    /// the two closures. The database has no such row.
    ///
    /// - Parameters:
    ///   - store: The store that was opened with this storage.
    ///   - author: The name for `Change.author`.
    ///   - body: Writes the settings, and returns a value.
    ///   - rows: Writes the rows, given the value. It must use this connection only: any other access to the database
    ///     would wait for the transaction, which waits for it.
    /// - Returns: The value of `body`.
    /// - Throws: What `body` or `rows` throws, and what the store's own commit throws. Nothing is stored then, except
    ///   after `encodingFailed`, and unless the error says that it may have been: if the store stores the settings
    ///   later, it stores the rows with them. If the store has another storage, the settings are stored there without
    ///   the rows, and the error is ``StorageError/Code/unsupported``.
    @discardableResult
    public func commit<Value: Sendable>(
        in store: SettingsStore, author: String? = nil, _ body: () throws -> Value,
        rows: @escaping @Sendable (Database, Value) throws -> Void
    ) async throws -> Value {
        let outcome = RowsOutcome()
        var ticket: Int64 = 0
        let result: Value
        do {
            result = try await store.commit(author: author) {
                // The previous attempt has been undone.
                try outcome.result.withLock { $0.take() }?.get()
                let value = try body()
                let known = (try? store.keys.value(forKey: Self.ticketKey, as: [Int64].self)) ?? []
                let tickets = state.withLock { state in
                    state.rows[ticket] = nil
                    state.lastTicket += 1
                    ticket = state.lastTicket
                    state.rows[ticket] = { database in
                        let written = Result { try rows(database, value) }
                        outcome.result.withLock { $0 = written }
                        try written.get()
                    }
                    return known.filter { state.rows[$0] != nil } + [ticket]
                }
                try store.keys.setValue(tickets, forKey: Self.ticketKey)
                return value
            }
        } catch {
            // If the settings stand, the store appends them again, and the rows with them.
            let inForce = try? store.keys.value(forKey: Self.ticketKey, as: [Int64].self)
            if inForce?.contains(ticket) != true { state.withLock { $0.rows[ticket] = nil } }
            throw error
        }
        guard outcome.result.withLock({ $0 != nil }) else {
            state.withLock { $0.rows[ticket] = nil }
            throw StorageError(.unsupported, "The settings are stored without the rows: the store has another storage.")
        }
        return result
    }

    /// Writes the rows that belong to a batch.
    ///
    /// - Throws: A conflict if a closure of the program throws: it lets all commits of the batch run again, and the one
    ///   that has failed throws the closure's error then. The conflict is without that error, which may show values.
    func writeRows(of batch: StorageBatch, to database: Database) throws {
        for ticket in Self.tickets(of: batch) {
            do {
                try state.withLock({ $0.rows[ticket] })?(database)
            } catch {
                throw StorageError(.conflict, "The rows of a commit in \(name) could not be written.")
            }
        }
    }

    /// Returns the tickets of a batch, in the order of its commits, after some that are stored already.
    static func tickets(of batch: StorageBatch) -> [Int64] {
        guard case .array(let values)?? = batch.values[ticketKey] else { return [] }
        return values.compactMap { if case .integer(let ticket) = $0 { ticket } else { nil } }
    }
}

/// The result of writing the rows of a commit's last attempt; `nil` if that has not been tried.
private final class RowsOutcome: Sendable {
    let result = Mutex<Result<Void, any Error>?>(nil)
}

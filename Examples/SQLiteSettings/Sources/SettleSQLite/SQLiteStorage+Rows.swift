// Settle 0.1.0-dev: copy this folder. The README of the example names the products that it needs.

public import GRDB
public import Settle
import Synchronization

/// The rows that a program stores with its settings.
extension SQLiteStorage {
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
    /// `store.keys` and the store's changes have numbers under keys that begin with `SettleSQLite-`, which connect the
    /// two closures. The database has no such rows.
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
    ///   later, it stores the rows with them. If the store has another storage, the settings are stored there without
    ///   the rows, and the error is ``StorageError/Code/unsupported``.
    @discardableResult
    public func commit<Result: Sendable>(
        in store: SettingsStore, author: String? = nil, _ body: () throws -> Result,
        rows: @escaping @Sendable (Database, Result) throws -> Void
    ) async throws -> Result {
        let key = state.withLock { $0.rows.takeKey() }
        var ticket: Int64 = 0
        let result: Result
        do {
            result = try await store.commit(author: author) {
                // The previous attempt has been undone.
                if let failure = state.withLock({ $0.rows.waiting.removeValue(forKey: ticket)?.failure }) {
                    throw failure
                }
                let value = try body()
                let write: @Sendable (Database) throws -> Void = { database in try rows(database, value) }
                ticket = state.withLock { $0.rows.add(write) }
                let stored = SettingValue.integer(ticket)
                try store.keys.setValue(stored, forKey: key)
                return value
            }
        } catch {
            // A commit that may be stored stands: the store appends its batch again, and the rows with it.
            let stands = store.keys[key] == .integer(ticket)
            state.withLock { state in
                if stands, state.rows.waiting[ticket] != nil {
                    state.rows.standing[ticket] = key
                } else {
                    state.rows.end(ticket, at: key)
                }
            }
            throw error
        }
        let isWritten = state.withLock { state in
            defer { state.rows.end(ticket, at: key) }
            return state.rows.waiting[ticket] == nil
        }
        guard isWritten else {
            throw StorageError(
                .unsupported, "The store has another storage: the settings were stored without the rows.")
        }
        return result
    }

    /// Writes the rows that belong to a batch.
    ///
    /// - Throws: A conflict if a closure of the program throws: it lets all commits of the batch run again, and the one
    ///   that has failed throws the closure's error then. The conflict is without that error, which may show values.
    func addRows(of batch: StorageBatch, to database: Database) throws {
        for ticket in batch.tickets {
            guard let rows = state.withLock({ $0.rows.waiting[ticket] }) else { continue }
            do {
                try rows.write(database)
            } catch {
                state.withLock { $0.rows.waiting[ticket]?.failure = error }
                throw StorageError(.conflict, "The rows of a commit in \(name) could not be written.")
            }
        }
    }
}

/// Rows that wait for the batches of their commits.
///
/// Each attempt to commit gets a ticket, and writes it as a setting: so the batch that has the settings of the attempt
/// has its ticket, too, and no batch has it once the attempt is undone.
struct ProgramRows {
    struct Waiting {
        let write: @Sendable (Database) throws -> Void
        /// Why they could not be written.
        var failure: (any Error)?
    }

    /// The rows of each ticket that is not stored.
    var waiting: [Int64: Waiting] = [:]
    /// The keys of tickets whose commits have thrown, but may be stored yet.
    var standing: [Int64: SettingKey] = [:]
    private var lastTicket: Int64 = 0
    /// Keys that no commit uses at the moment: with a key of its own, a commit never replaces the ticket of another.
    private(set) var freeKeys: [SettingKey] = []
    private var keyCount = 0

    mutating func takeKey() -> SettingKey {
        if let key = freeKeys.popLast() { return key }
        keyCount += 1
        return SettingKey.path("\(SettingKey.ticketPrefix)\(keyCount)")
    }

    /// - Returns: The ticket. Tickets rise in the order of the transactions.
    mutating func add(_ write: @escaping @Sendable (Database) throws -> Void) -> Int64 {
        lastTicket += 1
        waiting[lastTicket] = Waiting(write: write)
        return lastTicket
    }

    mutating func didStore(_ tickets: [Int64]) {
        for ticket in tickets { waiting[ticket] = nil }
        // A batch has everything that was not stored before it, so what stood until then is stored now, or given up.
        guard let last = tickets.last else { return }
        for (ticket, key) in standing where ticket <= last { end(ticket, at: key) }
    }

    mutating func end(_ ticket: Int64, at key: SettingKey) {
        (waiting[ticket], standing[ticket]) = (nil, nil)
        freeKeys.append(key)
    }
}

extension StorageBatch {
    /// The tickets of its commits, in their order. Undoing a commit may bring back one that was stored earlier.
    var tickets: [Int64] {
        values.compactMap { key, value -> Int64? in
            guard key.isTicket, case .integer(let ticket)? = value else { return nil }
            return ticket
        }.sorted()
    }
}

extension SettingKey {
    static let ticketPrefix = "SettleSQLite-"

    var isTicket: Bool { description.hasPrefix(Self.ticketPrefix) }
}

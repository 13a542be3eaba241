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
        let key = state.withLock { $0.rows.reserveKey() }
        let result: Result
        do {
            result = try await store.commit(author: author) {
                // The previous attempt has been undone.
                if let failure = state.withLock({ $0.rows.commits[key]?.failure }) { throw failure }
                let value = try body()
                let write: @Sendable (Database) throws -> Void = { database in try rows(database, value) }
                let ticket = SettingValue.integer(state.withLock { $0.rows.add(write, at: key) })
                try store.keys.setValue(ticket, forKey: key)
                return value
            }
        } catch {
            let stored = store.keys[key]
            state.withLock { $0.rows.didThrow(at: key, stored) }
            throw error
        }
        guard state.withLock({ $0.rows.end(at: key) }) else {
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
            guard let write = state.withLock({ $0.rows.commit(of: ticket)?.write }) else { continue }
            do {
                try write(database)
            } catch {
                state.withLock { $0.rows.commits[ticket.key]?.failure = error }
                throw StorageError(.conflict, "The rows of a commit in \(name) could not be written.")
            }
        }
    }
}

/// Rows that wait for the batches of their commits.
///
/// Each attempt to commit gets a ticket, a number, and writes it as a setting: so the batch that has the settings of
/// the attempt has its ticket, too, and no batch has it once the attempt is undone.
struct ProgramRows {
    struct Commit {
        /// The ticket of the last attempt.
        var ticket: Int64 = 0
        /// Writes the rows; `nil` once they are stored.
        var write: (@Sendable (Database) throws -> Void)?
        /// Why they could not be written.
        var failure: (any Error)?
        /// Whether the call has thrown, and the batch may be stored yet.
        var stands = false
    }

    /// The commits that have not ended. With a key of its own, a commit never replaces the ticket of another.
    var commits: [SettingKey: Commit] = [:]
    private var lastTicket: Int64 = 0

    /// Begins a commit, under a key that no other one uses at the moment.
    mutating func reserveKey() -> SettingKey {
        var (number, key) = (1, SettingKey.ticket(1))
        while commits[key] != nil {
            number += 1
            key = .ticket(number)
        }
        commits[key] = Commit()
        return key
    }

    /// - Returns: The ticket. Tickets rise in the order of the transactions.
    mutating func add(_ write: @escaping @Sendable (Database) throws -> Void, at key: SettingKey) -> Int64 {
        lastTicket += 1
        commits[key] = Commit(ticket: lastTicket, write: write)
        return lastTicket
    }

    /// Returns the commit of a ticket, if it is that of the last attempt.
    func commit(of ticket: Ticket) -> Commit? {
        commits[ticket.key].flatMap { $0.ticket == ticket.number ? $0 : nil }
    }

    mutating func didStore(_ tickets: [Ticket]) {
        for ticket in tickets where commit(of: ticket) != nil { commits[ticket.key]?.write = nil }
        // A batch has everything that was not stored before it, so what stood until then is stored now, or given up.
        guard let last = tickets.last?.number else { return }
        for (key, commit) in commits where commit.stands && commit.ticket <= last { commits[key] = nil }
    }

    /// Ends a commit that throws, unless it may be stored: then the store appends its batch again, and the rows with
    /// it.
    ///
    /// - Parameter value: The value that the store has at the key.
    mutating func didThrow(at key: SettingKey, _ value: SettingValue?) {
        guard let commit = commits[key], commit.write != nil, value == .integer(commit.ticket) else {
            commits[key] = nil
            return
        }
        commits[key]?.stands = true
    }

    /// Ends a commit.
    ///
    /// - Returns: Whether its rows are stored.
    mutating func end(at key: SettingKey) -> Bool { commits.removeValue(forKey: key)?.write == nil }
}

typealias Ticket = (key: SettingKey, number: Int64)

extension StorageBatch {
    /// The tickets of its commits, in their order. Undoing a commit may bring back one that was stored earlier.
    var tickets: [Ticket] {
        values.compactMap { key, value -> Ticket? in
            guard key.isTicket, case .integer(let number)? = value else { return nil }
            return (key: key, number: number)
        }.sorted { $0.number < $1.number }
    }
}

extension SettingKey {
    private static let ticketPrefix = "SettleSQLite-"

    static func ticket(_ number: Int) -> SettingKey { .path("\(ticketPrefix)\(number)") }

    var isTicket: Bool { description.utf8.starts(with: Self.ticketPrefix.utf8) }
}

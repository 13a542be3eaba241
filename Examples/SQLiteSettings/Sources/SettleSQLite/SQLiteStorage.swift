// Settle 0.1.0-dev: copy this folder. The README of the example names the products that it needs.

public import GRDB
public import Settle
import Synchronization

/// Keeps settings in a table of a program's own SQLite database, which several processes may share.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.busyMode = .timeout(5)
/// let database = try DatabasePool(path: "notes.sqlite", configuration: configuration)
/// let storage = SQLiteStorage(database)
/// let store = try await SettingsStore.open(storage: storage)
/// ```
///
/// - A batch is a transaction of the database. Its position is a number that is higher than all before it.
/// - A commit is stored on the condition that nobody has stored anything since it has read, so there is no lock for
///   transactions. ``commit(in:author:_:rows:)`` stores settings and rows of the program together.
/// - There are no named locks: `SettingsStore.withLock` throws.
/// - ``load()`` sets the database to write-ahead logging, and the writer's connection to sync each commit. The rows
///   that the program writes with it survive a loss of power from then on, too.
/// - The storage waits for other processes as long as the `busyMode` of the database says; by default not at all, and
///   a commit that meets another one throws ``StorageError/Code/locked`` then.
/// - An error of SQLite is a `StorageError` with the file's path and SQLite's own message, code and statement, and
///   without values.
public final class SQLiteStorage: SharedStorage {
    let writer: any DatabaseWriter
    let table: String
    private let interval: Duration
    let state = Mutex(State())

    struct State {
        var isClosed = false
        /// The position up to which everything has been returned; `nil` unless everything has been loaded.
        var seen: UInt64?
        /// The positions of own batches, which are not changes of others.
        var own = RangeSet<UInt64>()
        /// The last batch that was stored, by which a repeated one is recognised. Memory is enough: SQLite answers
        /// within the process, and a process that was killed repeats nothing.
        var lastBatch: StorageBatch.ID?
        var watch: Task<Void, Never>?
        /// The rows of commits that are not stored yet, by their tickets.
        var rows: [Int64: @Sendable (Database) throws -> Void] = [:]
        var lastTicket: Int64 = 0
    }

    /// Creates a storage. It never closes the database.
    ///
    /// - Parameters:
    ///   - writer: The database: a pool, or a queue.
    ///   - table: The name of the table, of letters, digits and underscores. If the program has another table of this
    ///     name, ``load()`` throws and creates nothing.
    ///   - interval: How often to check whether others have changed the database.
    public init(_ writer: any DatabaseWriter, table: String = "settings", interval: Duration = .milliseconds(100)) {
        (self.writer, self.table, self.interval) = (writer, table, interval)
    }

    // MARK: Loading

    public func load() async throws(StorageError) -> StorageContents {
        state.withLock { $0.seen = nil }
        return try access(.load) {
            try writer.writeWithoutTransaction { try createTable(in: $0) }
            let (batches, newest) = try read(after: 0)
            state.withLock { ($0.seen, $0.own) = (newest, RangeSet()) }
            return StorageContents(
                tree: batches.tree, outcome: newest == 0 ? .absent : .intact, position: StoragePosition(newest))
        }
    }

    // MARK: Appending

    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        let (before, position) = try access(.append) { try writer.write { try store(batch, in: $0) } }
        return state.withLock { state in
            if !batch.values.isEmpty { state.lastBatch = batch.id }
            if position > before { state.own.insert(contentsOf: position..<position + 1) }
            // Rows that are older than the last of the batch are stored now, or have been undone or given up.
            if let last = Self.tickets(of: batch).last { state.rows = state.rows.filter { $0.key > last } }
            // If others have stored something before the batch, that has yet to be returned.
            if state.seen == before { state.seen = position }
            return StorageReceipt(
                position: StoragePosition(position), durability: .synced, hasExternalChanges: state.seen != position)
        }
    }

    /// - Returns: The newest position before and after.
    private func store(_ batch: StorageBatch, in database: Database) throws -> (before: UInt64, position: UInt64) {
        let newest = try newestPosition(in: database)
        // A repeated batch is recognised before its conditions, which no longer hold.
        if batch.id == state.withLock({ $0.lastBatch }) { return (newest, newest) }
        for case .at(let position) in batch.conditions where position != StoragePosition(newest) {
            throw StorageError(.conflict, "Others have changed the settings in \(name). Nothing was stored.")
        }
        for case .under in batch.conditions { throw noLocks(.leaseLost) }
        for case .migrated(let known) in batch.conditions {
            try batches(where: "key BETWEEN '$settle' AND '$settle/'", in: database).tree.checkMigrations(within: known)
        }
        try writeRows(of: batch, to: database)
        return (newest, try insert(batch, after: newest, into: database))
    }

    // MARK: Changes of others

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        let start = position.number ?? .max
        let (batches, newest) = try access(.changes) { try read(after: start) }
        return state.withLock { state in
            state.seen = newest
            // Neither this call nor a later one has an earlier position.
            if start > newest { state.own = RangeSet() } else { state.own.remove(contentsOf: 0..<start + 1) }
            let changes =
                start > newest
                ? [ExternalChange(.everything(batches.tree))]
                : batches.externalChanges { state.own.contains($0.id.number) }
            return StorageChanges(changes, position: StoragePosition(newest))
        }
    }

    /// - Returns: The batches after a position, or all of them if it is higher than the newest one, which is returned,
    ///   too.
    private func read(after position: UInt64) throws -> (batches: [StoredBatch], newest: UInt64) {
        try writer.read { database in
            let newest = try newestPosition(in: database)
            // If it is higher, an older copy of the database has been restored, and any value may differ.
            let start = position > newest ? 0 : position
            return (try batches(where: "position > ?", [start], in: database), newest)
        }
    }

    public func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        let task = Task.detached { [weak self, interval] in
            var reported: [UInt64?] = []
            while (try? await Task.sleep(for: interval)) != nil, let self {
                // The store's own calls report the error.
                guard let newest = try? await self.writer.read({ try self.newestPosition(in: $0) }) else { continue }
                let positions: [UInt64?] = [newest, self.state.withLock { $0.seen }]
                if positions != reported, positions[0] != positions[1] { handle(.mayHaveChanged) }
                reported = positions
            }
        }
        state.withLock { $0.watch = task }
    }

    // MARK: Locks

    /// Returns `nil`: a batch has a condition instead.
    public func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }

    public func tryLock(named lock: String) async throws(StorageError) -> StorageLease? { throw noLocks(.unsupported) }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease { throw noLocks(.leaseLost) }

    public func unlock(_ lease: StorageLease) async {}

    private func noLocks(_ code: StorageError.Code) -> StorageError {
        StorageError(code, "There are no named locks in \(name).")
    }

    // MARK: Closing

    public func close() async {
        state.withLock { state in
            state.isClosed = true
            state.watch?.cancel()
        }
    }

    // MARK: Errors

    private enum Call { case load, append, changes }

    /// The file's path, in quotation marks.
    var name: String { "“\(writer.path)”" }

    /// Runs `body`, and maps errors of SQLite to those of a storage. Since `body` can't suspend, it calls SQLite on
    /// this thread.
    private func access<Value>(_ call: Call, _ body: () throws -> Value) throws(StorageError) -> Value {
        let (isClosed, isLoaded) = state.withLock { ($0.isClosed, $0.seen != nil) }
        if isClosed { throw StorageError(.closed, "The storage has been closed.") }
        guard isLoaded || call == .load else {
            throw StorageError(.unreadable, "The settings in \(name) have not been read, so they are not overwritten.")
        }
        do {
            return try body()
        } catch {
            if let error = error as? StorageError { throw error }
            let failure = error as? DatabaseError
            let code: StorageError.Code =
                switch failure?.resultCode ?? .SQLITE_ERROR {
                case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
                case .SQLITE_FULL: .noSpace
                case .SQLITE_TOOBIG: .unsupportedValue
                case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: .permissionDenied
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .unreadable
                default: call == .append ? .writeFailed : .unreadable
                }
            // The error's own text has the statement's arguments if the program wants them there: values, and secrets
            // among them.
            let reason = failure.map { "\(DatabaseError(resultCode: $0.resultCode, message: $0.message, sql: $0.sql))" }
            // A commit whose sync has failed is undone: no connection finds it, and the next commit overwrites its
            // pages in the log. But if SQLite recovers the log before that, it may find it there: after all processes
            // have ended, or one was killed at the end of a commit. All other errors come before.
            throw StorageError(
                code, "\(name): \(reason ?? "\(error)")",
                isOutcomeUnknown: call == .append && failure?.resultCode == .SQLITE_IOERR)
        }
    }
}

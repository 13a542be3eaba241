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
        var isLoaded = false
        var isClosed = false
        /// The position up to which everything has been returned.
        var seen: Int64 = 0
        /// The positions of own batches, which are not changes of others.
        var own = RangeSet<Int64>()
        /// The last batch that was stored, by which a repeated one is recognised. Memory is enough: SQLite answers
        /// within the process, and a process that was killed repeats nothing.
        var lastBatch: StorageBatch.ID?
        var watch: Task<Void, Never>?
        var rows = ProgramRows()
    }

    /// Creates a storage. It never closes the database.
    ///
    /// - Parameters:
    ///   - writer: The database: a pool, or a queue.
    ///   - table: The name of the table, of letters, digits and underscores. If the program has another table of this
    ///     name, ``load()`` throws and creates nothing.
    ///   - interval: How often to check whether others have changed the database.
    public init(
        _ writer: any DatabaseWriter, table: String = "settings", interval: Duration = .milliseconds(100)
    ) {
        (self.writer, self.table, self.interval) = (writer, table, interval)
    }

    // MARK: Loading

    public func load() async throws(StorageError) -> StorageContents {
        let isClosed = state.withLock { state in
            state.isLoaded = false
            return state.isClosed
        }
        if isClosed { throw Self.closed }
        try mappingErrors(to: .unreadable) { try createTable() }
        let found = try mappingErrors(to: .unreadable) { try read(after: Self.beforeAll) }
        state.withLock { ($0.seen, $0.own, $0.isLoaded) = (found.newest, RangeSet(), true) }
        return StorageContents(
            tree: found.batches.tree, outcome: found.newest == 0 ? .absent : .intact,
            position: StoragePosition(UInt64(found.newest)))
    }

    // MARK: Appending

    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try checkLoaded()
        let rows = try self.rows(of: batch)
        let (before, position) = try mappingErrors(to: .writeFailed, isAppend: true) { try store(batch, rows) }
        return state.withLock { state in
            if !batch.values.isEmpty { state.lastBatch = batch.id }
            if position > before { state.own.insert(contentsOf: position..<position + 1) }
            state.rows.didStore(batch.tickets)
            // If others have stored something before the batch, that has yet to be returned.
            if state.seen == before { state.seen = position }
            return StorageReceipt(
                position: StoragePosition(UInt64(position)), durability: .synced,
                hasExternalChanges: state.seen != position)
        }
    }

    /// - Returns: The newest position before and after.
    private func store(_ batch: StorageBatch, _ rows: [SettingRow]) throws -> (before: Int64, position: Int64) {
        try writer.write { database in
            let (newest, record) = try current(in: database)
            // A repeated batch is recognised before its conditions, which no longer hold.
            if batch.id == state.withLock({ $0.lastBatch }) { return (newest, newest) }
            for condition in batch.conditions { try verify(condition, at: newest, record) }
            try addRows(of: batch, to: database)
            return (newest, try insert(rows, by: batch.author, after: newest, into: database))
        }
    }

    /// - Parameter record: The record of migrations.
    private func verify(_ condition: StorageBatch.Condition, at newest: Int64, _ record: SettingTree) throws {
        switch condition {
        case .at(let position):
            guard position == StoragePosition(UInt64(newest)) else {
                throw StorageError(.conflict, "Others have changed the settings in \(name). Nothing was stored.")
            }
        case .under:
            throw StorageError(.leaseLost, "There are no named locks in \(name).")
        case .migrated(let known):
            try record.checkMigrations(within: known)
        }
    }

    // MARK: Changes of others

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        try checkLoaded()
        let start = position.number.flatMap { Int64(exactly: $0) } ?? Self.beforeAll
        let found = try mappingErrors(to: .unreadable) { try read(after: start) }
        return state.withLock { state in
            state.seen = found.newest
            let end = StoragePosition(UInt64(found.newest))
            if found.isEverything {
                state.own = RangeSet()
                return StorageChanges([ExternalChange(.everything(found.batches.tree))], position: end)
            }
            let own = state.own
            // No later call has an earlier position.
            state.own.remove(contentsOf: 0..<start + 1)
            return StorageChanges(
                found.batches.externalChanges { own.contains(Int64($0.id.number)) }, position: end)
        }
    }

    /// - Returns: The batches after a position, the newest position, and whether the batches are all that is stored.
    private func read(after position: Int64) throws -> (batches: [StoredBatch], newest: Int64, isEverything: Bool) {
        try writer.read { database in
            let newest = try current(in: database).newest
            // After the newest one: an older copy of the database has been restored, and any value may differ.
            let start = position <= newest ? position : Self.beforeAll
            return (try batches(after: start, in: database), newest, start == Self.beforeAll)
        }
    }

    /// Less than every position.
    private static let beforeAll: Int64 = -1

    public func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        let task = Task.detached { [weak self, interval] in
            var version: [Int] = []
            while !Task.isCancelled, let found = await self?.version(after: version, handle) {
                version = found
                // An error means that the storage has been closed.
                try? await Task.sleep(for: interval)
            }
        }
        state.withLock { $0.watch = task }
    }

    /// Reports whether others have stored something, if the database has changed since a version.
    ///
    /// - Returns: The current version: the first number changes if other connections have committed something, the
    ///   second one if this connection has, for another storage or for the program.
    private func version(after known: [Int], _ handle: @Sendable (StorageEvent) -> Void) async -> [Int] {
        let found = try? await writer.writeWithoutTransaction { [self] database in
            let version = [try Int.fetchOne(database, sql: "PRAGMA data_version") ?? 0, database.totalChangesCount]
            return try (version, version == known ? nil : current(in: database).newest)
        }
        // The store's own calls report the error.
        guard let (version, newest) = found else { return known }
        if let newest, newest != state.withLock({ $0.seen }) { handle(.mayHaveChanged) }
        return version
    }

    // MARK: Locks

    /// Returns `nil`: a batch has a condition instead.
    public func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }

    public func tryLock(named lock: String) async throws(StorageError) -> StorageLease? {
        throw StorageError(.unsupported, "There are no named locks in \(name).")
    }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        throw StorageError(.leaseLost, "There are no named locks in \(name).")
    }

    public func unlock(_ lease: StorageLease) async {}

    // MARK: Closing

    public func close() async {
        let watch = state.withLock { state in
            state.isClosed = true
            return state.watch
        }
        watch?.cancel()
    }

    private func checkLoaded() throws(StorageError) {
        let (isLoaded, isClosed) = state.withLock { ($0.isLoaded, $0.isClosed) }
        if isClosed { throw Self.closed }
        if !isLoaded {
            throw StorageError(.unreadable, "The settings in \(name) have not been read, so they are not overwritten.")
        }
    }

    private static let closed = StorageError(.closed, "The storage has been closed.")
}

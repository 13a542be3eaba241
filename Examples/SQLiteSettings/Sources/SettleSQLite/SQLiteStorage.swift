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
/// - A batch is a transaction of the database. Its position is a number that rises by one.
/// - A commit is stored on the condition that nobody has stored anything since it has read, so there is no lock for
///   transactions. ``commit(in:author:_:rows:)`` stores settings and rows of the program together.
/// - ``load()`` sets the database to write-ahead logging, and the writer's connection to sync each commit. The rows
///   that the program writes with it survive a loss of power from then on, too.
/// - The storage waits for other processes as long as the `busyMode` of the database says; by default not at all, and
///   a commit that meets another one throws ``StorageError/Code/locked`` then.
/// - An error of SQLite is a `StorageError` with the file's path and SQLite's own message, code and statement, and
///   without values.
public final class SQLiteStorage: SharedStorage {
    let writer: any DatabaseWriter
    let table: String
    let leaseTime: Duration
    private let interval: Duration
    let state = Mutex(State())

    struct State {
        var isLoaded = false
        var isClosed = false
        /// The position up to which everything has been returned.
        var seen: Int64 = 0
        /// The stores that have appended something here: one, and another one if it was migrated before it was opened.
        var stores: Set<UInt64> = []
        /// Batches of unknown outcome.
        var unknown: Set<StorageBatch.ID> = []
        var leases: Set<StorageLease> = []
        var watch: Task<Void, Never>?
        var rows = ProgramRows()
        /// Called when SQLite has committed a batch; tests lose the answer with it.
        var didCommit: @Sendable () throws(StorageError) -> Void = {}
    }

    /// Creates a storage. It never closes the database.
    ///
    /// - Parameters:
    ///   - writer: The database: a pool, or a queue.
    ///   - table: The name of the table, of letters, digits and underscores. Two more tables have this name with
    ///     `_stores` and `_locks` after it. If the program has another table of one of these names, ``load()`` throws
    ///     and creates nothing.
    ///   - leaseTime: How long a named lock outlives a process that was killed.
    ///   - interval: How often to check whether others have changed the database.
    public init(
        _ writer: any DatabaseWriter, table: String = "settings", leaseTime: Duration = .seconds(10),
        interval: Duration = .milliseconds(100)
    ) {
        (self.writer, self.table, self.leaseTime, self.interval) = (writer, table, leaseTime, interval)
    }

    // MARK: Loading

    public func load() async throws(StorageError) -> StorageContents {
        let isClosed = state.withLock { state in
            state.isLoaded = false
            return state.isClosed
        }
        if isClosed { throw Self.closed }
        try mappingErrors(to: .unreadable) { try createTables() }
        let found = try mappingErrors(to: .unreadable) { try read(after: Self.beforeAll) }
        state.withLock { ($0.seen, $0.isLoaded) = (found.newest, true) }
        return StorageContents(
            tree: found.batches.tree, outcome: found.newest == 0 ? .absent : .intact,
            position: StoragePosition(UInt64(found.newest)))
    }

    // MARK: Appending

    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try checkLoaded()
        for case (let key, let value?) in batch.values { try check(value, at: key) }
        let stored: (position: Int64?, newest: Int64)
        do throws(StorageError) {
            stored = try mappingErrors(to: .writeFailed, isAppend: true) { try store(batch) }
            try state.withLock({ $0.didCommit })()
        } catch {
            if error.isOutcomeUnknown { state.withLock { _ = $0.unknown.insert(batch.id) } }
            throw error
        }
        return state.withLock { state in
            state.unknown.remove(batch.id)
            state.rows.didStore(batch.tickets)
            // If others have stored something before the batch, that has yet to be returned.
            if let position = stored.position, state.seen == position - 1 { state.seen = position }
            return StorageReceipt(
                position: StoragePosition(UInt64(stored.position ?? state.seen)), durability: .synced,
                hasExternalChanges: state.seen != stored.newest)
        }
    }

    /// - Returns: The position of the batch, `nil` if it has no values, and the newest one.
    private func store(_ batch: StorageBatch) throws -> (position: Int64?, newest: Int64) {
        try writer.write { database in
            let newest = try newestPosition(in: database)
            // A repeated batch is recognised before its conditions, which no longer hold.
            if let position = try self.position(of: batch.id, in: database) {
                return (position, newest)
            }
            for condition in batch.conditions { try verify(condition, at: newest, in: database) }
            if batch.values.isEmpty { return (nil, newest) }
            try addRows(of: batch, to: database)
            try addSettings(of: batch, at: newest + 1, to: database)
            return (newest + 1, newest + 1)
        }
    }

    private func verify(_ condition: StorageBatch.Condition, at newest: Int64, in database: Database) throws {
        switch condition {
        case .at(let position):
            guard position == StoragePosition(UInt64(newest)) else {
                throw StorageError(.conflict, "Others have changed the settings in \(name). Nothing was stored.")
            }
        case .under(let lease):
            guard try isHeld(lease, in: database) else { throw lost(lease) }
        case .migrated(let known):
            let others = try migrations(in: database).filter { !known.contains($0) }.map { "“\($0)”" }
            guard others.isEmpty else {
                throw StorageError(
                    .migrated,
                    "The settings in \(name) have been migrated with \(others.joined(separator: ", ")), which this "
                        + "program does not know.")
            }
        }
    }

    /// Refuses keys that SQLite can't have as a text, and what no storage can hold.
    public func check(_ value: SettingValue, at key: SettingKey) throws(StorageError) {
        guard key.isStorable else {
            throw StorageError(.unsupportedValue, "A key in a database can have neither empty names nor zero bytes.")
        }
        try Self.anyStorage.check(value, at: key)
    }

    private static let anyStorage = InMemoryStorage()

    // MARK: Changes of others

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        try checkLoaded()
        let start = position.number.flatMap { Int64(exactly: $0) } ?? Self.beforeAll
        let found = try mappingErrors(to: .unreadable) { try read(after: start) }
        return state.withLock { state in
            state.seen = found.newest
            let end = StoragePosition(UInt64(found.newest))
            if found.isEverything {
                return StorageChanges([ExternalChange(.everything(found.batches.tree))], position: end)
            }
            let changes = found.batches.externalChanges(unknown: state.unknown) { state.stores.contains($0.id.store) }
            // Of a batch whose values others have all overwritten, only the store that waits for its answer must know.
            return StorageChanges(changes.filter { $0.content != .values([:]) || $0.batch != nil }, position: end)
        }
    }

    /// - Returns: The batches after a position, the newest position, and whether the batches are all that is stored.
    private func read(after position: Int64) throws -> (batches: [StoredBatch], newest: Int64, isEverything: Bool) {
        try writer.read { database in
            let newest = try newestPosition(in: database)
            // After the newest one: an older copy of the database has been restored, and all values may be others.
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
            return try (version, version == known ? nil : newestPosition(in: database))
        }
        // The store's own calls report the error.
        guard let (version, newest) = found else { return known }
        if let newest, newest != state.withLock({ $0.seen }) { handle(.mayHaveChanged) }
        return version
    }

    // MARK: Closing

    public func close() async {
        let (leases, watch) = state.withLock { state in
            state.isClosed = true
            return (state.leases, state.watch)
        }
        watch?.cancel()
        for lease in leases { await unlock(lease) }
    }

    func checkLoaded() throws(StorageError) {
        let (isLoaded, isClosed) = state.withLock { ($0.isLoaded, $0.isClosed) }
        if isClosed { throw Self.closed }
        if !isLoaded {
            throw StorageError(.unreadable, "The settings in \(name) have not been read, so they are not overwritten.")
        }
    }

    private static let closed = StorageError(.closed, "The storage has been closed.")
}

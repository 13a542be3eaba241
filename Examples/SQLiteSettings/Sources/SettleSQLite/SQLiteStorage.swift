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
    let tables: SettingsTables
    let state = Mutex(State())
    /// Commits with rows of the program run one after the other.
    let turnstile = Turnstile()
    let leaseTime: Duration
    private let interval: Duration
    private let didCommit: @Sendable () throws(StorageError) -> Void

    struct State {
        var isLoaded = false
        var isClosed = false
        /// The position up to which everything has been returned.
        var seen: Int64 = 0
        /// The newest position that is known.
        var newest: Int64 = 0
        /// The stores that have appended something here: one, and another one if it was migrated before it was opened.
        var stores: Set<UInt64> = []
        /// Batches of unknown outcome.
        var unknown: Set<StorageBatch.ID> = []
        /// The rows of commits that are under way, by ticket.
        var rows: [String: ProgramRows] = [:]
        var leases: Set<StorageLease> = []
        var watch: Task<Void, Never>?
    }

    /// Creates a storage. It never closes the database.
    ///
    /// - Parameters:
    ///   - writer: The database: a pool, or a queue.
    ///   - table: The name of the table, of letters, digits and underscores. Two more tables have this name with
    ///     `_stores` and `_locks` after it. If the program has a table of that name, ``load()`` throws and creates
    ///     nothing.
    ///   - leaseTime: How long a named lock outlives a process that was killed.
    ///   - interval: How often to check whether others have changed the database.
    public convenience init(
        _ writer: any DatabaseWriter, table: String = "settings", leaseTime: Duration = .seconds(10),
        interval: Duration = .milliseconds(100)
    ) {
        self.init(writer, table: table, leaseTime: leaseTime, interval: interval, didCommit: {})
    }

    /// - Parameter didCommit: Called when SQLite has committed a batch. Its error is the answer to the batch then.
    package init(
        _ writer: any DatabaseWriter, table: String = "settings", leaseTime: Duration, interval: Duration,
        didCommit: @escaping @Sendable () throws(StorageError) -> Void
    ) {
        (self.writer, tables) = (writer, SettingsTables(named: table))
        (self.leaseTime, self.interval, self.didCommit) = (leaseTime, interval, didCommit)
    }

    // MARK: Loading

    public func load() async throws(StorageError) -> StorageContents {
        let isClosed = state.withLock { state in
            state.isLoaded = false
            return state.isClosed
        }
        if isClosed { throw Self.closed }
        try prepare()
        let found = try read(after: Self.beforeAll, unknown: [])
        state.withLock { state in
            (state.seen, state.newest) = (found.newest, found.newest)
            state.isLoaded = true
        }
        return StorageContents(
            tree: found.entries.tree, outcome: found.newest == 0 ? .absent : .intact,
            position: StoragePosition(found.newest))
    }

    private func prepare() throws(StorageError) {
        do {
            try writer.writeWithoutTransaction { database in
                // A pool is set to sync no commit. On Apple's systems, a sync without the last setting does not reach
                // stable storage.
                try database.execute(
                    sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = TRUE")
                guard try !tables.exist(in: database) else { return }
                try database.inTransaction {
                    try tables.create(in: database)
                    return .commit
                }
            }
        } catch {
            throw storageError(error, .unreadable)
        }
    }

    // MARK: Appending

    /// A transaction that has ended well.
    private struct Stored {
        /// The position of the batch; `nil` if it had no values.
        var position: Int64?
        var newest: Int64
    }

    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try checkLoaded()
        for case (let key, let value?) in batch.values { try check(value, at: key) }
        let stored: Stored
        do throws(StorageError) {
            stored = try store(batch)
        } catch {
            if error.isOutcomeUnknown { state.withLock { _ = $0.unknown.insert(batch.id) } }
            throw error
        }
        return state.withLock { state in
            state.unknown.remove(batch.id)
            if let ticket = batch.ticket { state.rows[ticket] = nil }
            // If others have stored something before the batch, they are still to be returned.
            if let position = stored.position, state.seen == position - 1 { state.seen = position }
            state.newest = stored.newest
            return StorageReceipt(
                position: StoragePosition(stored.position ?? state.seen), durability: .synced,
                hasExternalChanges: state.seen != state.newest)
        }
    }

    private func store(_ batch: StorageBatch) throws(StorageError) -> Stored {
        let isNew = state.withLock { $0.stores.insert(batch.id.store).inserted }
        let stored: Stored
        do {
            stored = try writer.write { database in try add(batch, ofNewStore: isNew, to: database) }
        } catch let failure as RowsFailure {
            throw refuse(failure)
        } catch {
            throw storageError(error, .writeFailed, isAppend: true)
        }
        try didCommit()
        return stored
    }

    private func add(_ batch: StorageBatch, ofNewStore isNew: Bool, to database: Database) throws -> Stored {
        let newest = try tables.newest(in: database)
        // A repeated batch is recognised before its conditions, which no longer hold.
        if let position = try tables.position(of: batch.id, in: database) {
            return Stored(position: position, newest: newest)
        }
        try verify(batch.conditions, at: newest, in: database)
        if batch.values.isEmpty { return Stored(position: nil, newest: newest) }
        try addRows(of: batch, to: database)
        if isNew { try tables.forgetOldStores(in: database) }
        try tables.add(batch.settings, of: batch, at: newest + 1, in: database)
        return Stored(position: newest + 1, newest: newest + 1)
    }

    private func verify(
        _ conditions: [StorageBatch.Condition], at newest: Int64, in database: Database
    ) throws {
        for condition in conditions {
            switch condition {
            case .at(let position):
                guard position == StoragePosition(newest) else {
                    throw StorageError(.conflict, "Others have changed the settings in \(name). Nothing was stored.")
                }
            case .under(let lease):
                guard try tables.isHeld(lease, in: database) else { throw lost(lease) }
            case .migrated(let known):
                guard let steps = try tables.migrations(in: database) else {
                    throw StorageError(.migrated, "The record of migrations in \(name) can't be read.")
                }
                let others = steps.filter { !known.contains($0) }.map { "“\($0)”" }
                guard others.isEmpty else {
                    throw StorageError(
                        .migrated,
                        "The settings in \(name) have been migrated with \(others.joined(separator: ", ")), which this "
                            + "program does not know.")
                }
            }
        }
    }

    /// Refuses keys that are no texts for SQLite, and what no storage can hold.
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
        let (stores, unknown) = state.withLock { ($0.stores, $0.unknown) }
        let start = position.number.flatMap { Int64(exactly: $0) } ?? Self.beforeAll
        let found = try read(after: start, unknown: unknown)
        state.withLock { state in (state.seen, state.newest) = (found.newest, found.newest) }
        let end = StoragePosition(found.newest)
        if found.isEverything {
            // An older copy of the database has been restored: all values may be others.
            return StorageChanges([ExternalChange(.everything(found.entries.tree))], position: end)
        }
        return StorageChanges(found.changes(stores: stores, unknown: unknown), position: end)
    }

    /// Not async, so that SQLite is called on this thread.
    private func read(after position: Int64, unknown: Set<StorageBatch.ID>) throws(StorageError) -> StoredEntries {
        do {
            return try writer.read { database in
                let newest = try tables.newest(in: database)
                let start = position <= newest ? position : Self.beforeAll
                return StoredEntries(
                    newest: newest, isEverything: start == Self.beforeAll,
                    entries: try tables.entries(after: start, in: database),
                    resolved: try tables.positions(of: unknown, after: start, in: database))
            }
        } catch {
            throw storageError(error, .unreadable)
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
    /// - Returns: The version of now: the first number changes if other connections have committed something, the
    ///   second one if this connection has, for another storage or for the program.
    private func version(after known: [Int], _ handle: @Sendable (StorageEvent) -> Void) async -> [Int] {
        let found = try? await writer.writeWithoutTransaction { [tables] database in
            let version = [try Int.fetchOne(database, sql: "PRAGMA data_version") ?? 0, database.totalChangesCount]
            return try (version, version == known ? nil : tables.newest(in: database))
        }
        // The store's own calls report the error.
        guard let (version, newest) = found else { return known }
        if let newest, newest != state.withLock({ $0.newest }) { handle(.mayHaveChanged) }
        return version
    }

    // MARK: Closing

    public func close() async {
        let (leases, watch) = state.withLock { state in
            state.isClosed = true
            defer { state.leases = [] }
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

extension StoragePosition {
    /// - Parameter number: 0 or more.
    init(_ number: Int64) { self.init(UInt64(number)) }
}

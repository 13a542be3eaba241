/// A transaction and its position in the history.
typealias HistoryTransaction = (token: ChangeToken, transaction: StoredTransaction)

/// Reads the storage's history: pages of it, the values at a position, and the feed for its followers.
///
/// Belongs to the persister and runs on its queue. The persister first fetches what others have appended.
final class HistoryReader {
    /// `nil` if the storage has no history.
    let storage: (any HistoryStorage)?
    let log: MutationLog
    private let limits: StorageLimits
    private let time: TimeSource
    /// The reporter for errors of the feed.
    let errors: ErrorReporter
    /// The reporter for errors of reading for one follower.
    let searchErrors: ErrorReporter
    /// Whether the history may have records that the feed lacks.
    var isFeedBehind = false
    /// The keys that the storage knew to be secrets when the feed was last filled.
    var withheldFromFeed: Set<SettingKey> = []

    private static let pageSize = 64
    private static let feedPageSize = 256

    init(
        _ storage: any Storage, log: MutationLog, time: TimeSource, errors: ErrorReporter,
        report: @escaping @Sendable (SettingsError) -> Void
    ) {
        self.storage = storage as? any HistoryStorage
        limits = storage.limits
        self.log = log
        self.time = time
        self.errors = errors
        searchErrors = ErrorReporter(report)
    }

    /// The position of the newest transaction.
    var token: ChangeToken? { storage?.token }

    // MARK: Looking back

    /// Returns the transactions before a position, newest first; none if the history begins there.
    ///
    /// - Parameter isWhole: Whether to include the data beside the settings.
    func page(before token: ChangeToken?, isWhole: Bool = false) async throws(SettingsError) -> [HistoryTransaction] {
        guard let storage else { throw .storageWithoutHistory }
        guard storage.keepsHistory else { throw .historyNotKept }
        var records: [StoredRecord]
        do {
            records = try await limits.call(time) { () throws(StorageError) in
                try await storage.records(before: token, limit: Self.pageSize)
            }
        } catch {
            if let token, error.code == .conflict { throw .anotherPast(token) }
            throw .storage(error)
        }
        if let token, let first = records.first, first.token.history != token.history { throw .anotherPast(token) }
        let secrets = log.secretKeys
        for index in records.indices {
            part(&records[index])
            records[index].transactions = records[index].transactions.map {
                isWhole ? $0.withholding(secrets) : $0.visible(without: secrets)
            }
        }
        return records.flatMap { $0.entries.reversed() }
    }

    /// Returns all transactions after a position, oldest first.
    func everything(after token: ChangeToken) async throws(SettingsError) -> [HistoryTransaction] {
        guard let storage else { throw .storageWithoutHistory }
        let secrets = log.secretKeys
        var found: [HistoryTransaction] = []
        while true {
            let page: [HistoryFeedEntry]?
            do {
                page = try await records(after: found.last?.token ?? token, in: storage)
            } catch {
                throw .storage(error)
            }
            guard let page else { throw unavailable(token, in: storage) }
            guard !page.isEmpty else { return found }
            found += page.map { ($0.token, $0.transaction.visible(without: secrets)) }
        }
    }

    /// Returns the reason why the transactions after a position are not known.
    private func unavailable(_ token: ChangeToken, in storage: any HistoryStorage) -> SettingsError {
        guard let end = storage.token, end.history == token.history, token.position <= end.position else {
            return .anotherPast(token)
        }
        return storage.keepsHistory ? .forgotten(token) : .historyNotKept
    }

    /// Returns the values stored at a position, without secrets.
    ///
    /// - Parameter tree: The stored values, read before the history: undoing a transaction that they do not include yet
    ///   changes nothing.
    func values(at token: ChangeToken, from tree: SettingTree) async throws(SettingsError) -> SettingTree {
        var tree = tree
        for (token, transaction) in try await everything(after: token).reversed() {
            guard let mutations = transaction.mutations else { throw .unknownChanges(at: token) }
            tree.takeBack(mutations)
        }
        _ = MigrationRecord(takenFrom: &tree)
        do {
            tree.remove(try await secretKeys())
        } catch {
            throw .storage(error)
        }
        return tree
    }

    /// Returns the keys of secrets: those that this store's groups declare, and those that the storage knows from other
    /// processes.
    func secretKeys() async throws(StorageError) -> Set<SettingKey> {
        try await withheldKeys().union(log.secretKeys)
    }

    /// Returns the keys that the storage knows to be secrets.
    func withheldKeys() async throws(StorageError) -> Set<SettingKey> {
        guard let storage else { return [] }
        return try await limits.call(time) { () throws(StorageError) in try await storage.withheldKeys() }
    }

    /// Finds a transaction that may be undone.
    func transaction(toUndo target: UndoTarget) async throws(SettingsError) -> HistoryTransaction {
        var search = UndoSearch(target)
        var oldest: ChangeToken?
        while true {
            let page = try await page(before: oldest)
            for past in page {
                if let found = try search.check(past) { return found }
            }
            guard let last = page.last else { throw search.notFound(before: token) }
            oldest = last.token
        }
    }

    /// Returns the newest transaction that has made an unconfirmed commit; `nil` if that is not known.
    func unconfirmedCommit() async -> ChangeToken? {
        var oldest: ChangeToken?
        while let page = try? await page(before: oldest, isWhole: true), let last = page.last {
            if let found = page.first(where: { $0.transaction.isUnconfirmed }) { return found.token }
            oldest = last.token
        }
        return nil
    }

    /// Checks that nothing has been stored after a position.
    ///
    /// - Parameter keys: The keys that count, with those within them, and the parts of dictionaries around them. `nil`
    ///   if all count.
    /// - Throws: ``SettingsError`` if something was stored, with what it was, or if that is not known.
    func checkNothingStored(after token: ChangeToken, at keys: [SettingKey]?) async throws(SettingsError) {
        var conflict = CommitConflict(keys: [], token: nil, author: nil)
        var changed: Set<SettingKey> = []
        let later: [HistoryTransaction]
        do {
            later = try await everything(after: token)
        } catch {
            guard error.code == .historyUnavailable, storage != nil else { throw error }
            throw .unknownConflict(error)
        }
        for (token, transaction) in later {
            guard let all = transaction.mutations else { throw .unknownConflict(.unknownChanges(at: token)) }
            let found = keys.map(transaction.mutations) ?? all
            guard !found.isEmpty else { continue }
            (conflict.token, conflict.author) = (token, transaction.author)
            changed.formUnion(found.map(\.key))
        }
        guard !changed.isEmpty else { return }
        conflict.keys = changed.sorted().map(\.description)
        throw .conflict(conflict)
    }

    // MARK: Policy and secrets

    /// Sets which part of the history the storage keeps.
    func keep(_ policy: HistoryPolicy) async throws(SettingsError) {
        guard let storage else {
            if policy.isKept { throw .storageWithoutHistory }
            return
        }
        do {
            try await limits.call(time) { () throws(StorageError) in try await storage.keepHistory(policy) }
        } catch {
            throw .historyNotChanged(error)
        }
    }

    /// Keeps values of secrets out of the history.
    func withhold(_ keys: [SettingKey]) async {
        guard let storage else { return }
        do {
            try await limits.call(time) { () throws(StorageError) in try await storage.withhold(keys) }
            restartFeed()
        } catch {
            errors.report(error)
        }
    }

    /// Removes the values of some keys from the history.
    func forget(_ keys: [SettingKey]) async throws(SettingsError) {
        guard let storage else { return }
        defer { restartFeed() }
        for key in keys {
            do {
                try await limits.call(time) { () throws(StorageError) in try await storage.forgetHistory(of: key) }
            } catch {
                throw .storage(error)
            }
        }
    }

    // MARK: Records

    /// Returns the storage's transactions after a position, one by one; `nil` if they are not known.
    func records(
        after token: ChangeToken, in storage: any HistoryStorage
    ) async throws(StorageError) -> [HistoryFeedEntry]? {
        let records = try await limits.call(time) { () throws(StorageError) in
            try await storage.records(after: token, limit: Self.feedPageSize)
        }
        return records.flatMap { entries(of: $0, after: token) }
    }

    /// Returns the same, if the file has all of them in memory, and a transaction for each. Never waits.
    ///
    /// - Returns: Also the keys of secrets that they withhold.
    func recordsAtOnce(
        after token: ChangeToken, in file: FileStorage
    ) -> (entries: [HistoryFeedEntry], withheld: Set<SettingKey>)? {
        guard let (records, withheld) = file.recordsAtOnce(after: token, limit: Self.feedPageSize),
            records.allSatisfy({ $0.count == 1 }), let found = entries(of: records, after: token)
        else { return nil }
        return (found, withheld)
    }

    /// Returns the transactions of some records after a position; `nil` if they are not known.
    private func entries(of found: [StoredRecord], after token: ChangeToken) -> [HistoryFeedEntry]? {
        var records = found
        for index in records.indices { part(&records[index]) }
        guard let first = records.first else { return [] }
        if first.token.position - first.count < token.position {
            // The position is within transactions of which only the sum is known, unless the log still has each.
            guard let rest = first.rest(after: token), rest.transactions.count < first.transactions.count else {
                return nil
            }
            records[0] = rest
        }
        return records.flatMap(\.entries).map { token, transaction in
            HistoryFeedEntry(
                token: token, transaction: transaction,
                revision: log.lock.withLock { log.changes.revision(at: token) })
        }
    }

    /// Separates transactions that the store has appended together, if the log still has them.
    private func part(_ record: inout StoredRecord) {
        guard record.transactions.count == 1, record.count > 1, let sum = record.transactions.first,
            let revisions = log.lock.withLock({ log.changes.appended.ownRevisions(endingAt: record.token) }),
            let mutations = sum.mutations
        else { return }
        var (before, after): ([SettingKey: SettingValue], [SettingKey: SettingValue?]) = ([:], [:])
        for mutation in mutations where !mutation.isWithheld {
            before[mutation.key] = mutation.oldValue
            after.updateValue(mutation.newValue, forKey: mutation.key)
        }
        record.transactions = log.transactions(
            revisions, count: sum.count, values: after, before: before, author: sum.author.name, now: time.now())
    }
}

extension SettingTree {
    mutating func remove(_ keys: Set<SettingKey>) {
        // Removing a missing key would remove an empty dictionary around it.
        for key in keys where self[key] != nil { self[key] = nil }
    }
}

extension StoredTransaction {
    /// Whether it has stored the record of an unconfirmed commit together with values, and not only moved or removed
    /// the record.
    fileprivate var isUnconfirmed: Bool {
        guard undone == nil, let mutations, mutations.count > 1 else { return false }
        return mutations.contains { $0.key == UnconfirmedCommit.key && ($0.isWithheld || $0.newValue != nil) }
    }

    /// Returns the transaction without the values of secrets, and without the data beside the settings, which shows
    /// whether it was a migration.
    fileprivate func visible(without secrets: Set<SettingKey>) -> StoredTransaction {
        var visible = withholding(secrets)
        guard let all = visible.mutations, all.contains(where: { MigrationRecord.has($0.key) }) else { return visible }
        if all.contains(where: MigrationRecord.isMigration) { visible.origin = .migration }
        visible.mutations = all.filter { !MigrationRecord.has($0.key) }
        return visible
    }
}

/// What others have stored: up to where it was fetched, and what of it the store has not merged yet, because a writer
/// is active or the store is closing. The storage counts all of it as delivered, so it must not get lost here.
struct ExternalChanges {
    /// What others have stored is known up to here.
    var position: StoragePosition
    /// Whether others have stored something behind `position`.
    var mustFetch = false
    /// What was fetched and is not merged, oldest first.
    private(set) var unmerged: [ExternalChange] = []
    var migrations: KnownMigrations
    /// Why the file's latest unusable edit could not be merged.
    private(set) var lastUnusable: StorageError?
    /// The position in the storage's history that the store's values have once all of `unmerged` are merged.
    private(set) var newestToken: ChangeToken?
    /// The position that the store's values are not older than, for any thread.
    private let token: LockedValue<ChangeToken?>

    init(position: StoragePosition, token: LockedValue<ChangeToken?>, migrations: KnownMigrations) {
        self.position = position
        self.token = token
        self.migrations = migrations
        newestToken = token.withLock { $0 }
    }

    /// Whether the store has merged all that is known and, as far as is known, all that there is.
    var isMerged: Bool { unmerged.isEmpty && !mustFetch }

    /// The storage has answered.
    ///
    /// - Returns: The changes, without the record of migrations.
    mutating func fetched(_ found: StorageChanges) -> [ExternalChange] {
        position = found.position
        mustFetch = false
        var changes = found.changes
        for index in changes.indices {
            changes[index].isMigration = migrations.record.take(from: &changes[index])
            if case .unusable(let error) = changes[index].content { lastUnusable = error }
        }
        return changes
    }

    /// Adds changes to merge.
    mutating func add(_ changes: [ExternalChange]) {
        unmerged += changes
        publishToken()
    }

    mutating func takeUnmerged() -> [ExternalChange] {
        defer { unmerged = [] }
        return unmerged
    }

    /// A batch was stored. What others have stored before it is not newer than what it has.
    mutating func overwrite(by batch: StorageBatch) {
        for index in unmerged.indices { unmerged[index].overwrite(batch.values) }
    }

    /// The store's own changes have been appended.
    mutating func appended(_ receipt: StorageReceipt) {
        if receipt.hasExternalChanges { mustFetch = true } else { position = receipt.position }
        appended(at: receipt.token)
    }

    /// The store's own changes are in the history up to a position, or nothing has been stored yet.
    mutating func appended(at token: ChangeToken?) {
        guard let token else { return }
        newestToken = token
        publishToken()
    }

    /// A change of others is about to be in force.
    mutating func merging(_ change: ExternalChange) {
        guard let token = change.token else { return }
        // Something of the store's own may have been appended behind it meanwhile.
        if case .values = change.content, let newestToken, newestToken.history == token.history,
            newestToken.position > token.position
        {
            return
        }
        newestToken = token
    }

    /// Publishes the newest position, unless something before it is not in force yet: a conditional commit would
    /// believe that it had read that.
    mutating func publishToken() {
        guard isMerged, let newestToken else { return }
        token.withLock { $0 = newestToken }
    }
}

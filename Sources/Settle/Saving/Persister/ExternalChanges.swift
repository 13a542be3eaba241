/// The changes of others: the position up to which they were fetched, and those that the store has not merged yet,
/// because a writer is active or the store is closing. The storage counts all of them as delivered, so they must not
/// get lost here.
struct ExternalChanges {
    /// The changes of others are known up to here.
    var position: StoragePosition
    /// Whether others have stored something after `position`.
    var mustFetch = false
    /// The changes that were fetched and not merged, oldest first.
    private(set) var unmerged: [ExternalChange] = []
    var migrations: KnownMigrations
    /// The reason why the file's latest unusable edit could not be merged.
    private(set) var lastUnusable: StorageError?
    /// The token of the store's values once all of `unmerged` are merged.
    private(set) var newestToken: ChangeToken?
    /// A token that the store's values are not older than, for any thread.
    private let token: LockedValue<ChangeToken?>

    init(position: StoragePosition, token: LockedValue<ChangeToken?>, migrations: KnownMigrations) {
        self.position = position
        self.token = token
        self.migrations = migrations
        newestToken = token.withLock { $0 }
    }

    /// Whether the store has merged all known changes and, as far as is known, there are no others.
    var isMerged: Bool { unmerged.isEmpty && !mustFetch }

    /// Records the storage's answer.
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

    /// Records that a batch was stored. Earlier changes of others are not newer than the batch's values.
    mutating func overwrite(by batch: StorageBatch) {
        for index in unmerged.indices { unmerged[index].overwrite(batch.values) }
    }

    /// Records that the store's own changes have been appended.
    mutating func appended(_ receipt: StorageReceipt) {
        if receipt.hasExternalChanges { mustFetch = true } else { position = receipt.position }
        appended(at: receipt.token)
    }

    /// Records that the store's own changes are in the history up to a token, or that nothing has been stored yet.
    mutating func appended(at token: ChangeToken?) {
        guard let token else { return }
        newestToken = token
        publishToken()
    }

    /// Records that a change of others is about to be in force.
    mutating func merging(_ change: ExternalChange) {
        guard let token = change.token else { return }
        // The store may have appended changes of its own after it meanwhile.
        if case .values = change.content, let newestToken, newestToken.history == token.history,
            newestToken.position > token.position
        {
            return
        }
        newestToken = token
    }

    /// Publishes the newest token, unless an earlier change is not in force yet: a conditional commit would assume that
    /// it had read that change.
    mutating func publishToken() {
        guard isMerged, let newestToken else { return }
        token.withLock { $0 = newestToken }
    }
}

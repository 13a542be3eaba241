/// Looking back in the storage's history, and what of it is kept.
extension Persister {
    /// A transaction and its place.
    typealias PastTransaction = (token: ChangeToken, transaction: StoredTransaction)

    private static let pageSize = 64

    // MARK: Telling

    /// The transactions before a place, newest first; none if the history begins there.
    nonisolated func pastPage(before token: ChangeToken?) async throws(SettingsError) -> [PastTransaction] {
        try await perform { (persister) throws(SettingsError) in
            guard !persister.isClosed else { throw .closed(key: nil) }
            // What others have appended by now.
            if token == nil { await persister.deliver() }
            return try await persister.past(before: token)
        }
    }

    /// The same, without merging what others have appended.
    func past(before token: ChangeToken?) async throws(SettingsError) -> [PastTransaction] {
        guard let history else { throw .storageWithoutHistory }
        guard history.keepsHistory else { throw .historyNotKept }
        var records: [StoredRecord]
        do {
            records = try await call { [page = Self.pageSize] () throws(StorageError) in
                try await history.records(before: token, limit: page)
            }
        } catch {
            if let token, error.code == .conflict { throw .anotherPast(token) }
            throw .storage(error)
        }
        if let token, let first = records.first, first.token.history != token.history { throw .anotherPast(token) }
        let secrets = log.secretKeys
        for index in records.indices {
            part(&records[index])
            records[index].transactions = records[index].transactions.map { $0.visible(without: secrets) }
        }
        return records.flatMap { $0.entries.reversed() }
    }

    /// Everything after a place, oldest first.
    func everything(after token: ChangeToken) async throws(SettingsError) -> [PastTransaction] {
        guard let history else { throw .storageWithoutHistory }
        let secrets = log.secretKeys
        var found: [PastTransaction] = []
        while true {
            let page: [HistoryFeedEntry]?
            do {
                page = try await records(after: found.last?.token ?? token, in: history)
            } catch {
                throw .storage(error)
            }
            guard let page else { throw unavailable(token, in: history) }
            guard !page.isEmpty else { return found }
            found += page.map { ($0.token, $0.transaction.visible(without: secrets)) }
        }
    }

    /// Why it can't be told what has come after a place.
    private func unavailable(_ token: ChangeToken, in history: any HistoryStorage) -> SettingsError {
        guard let end = history.token, end.history == token.history, token.position <= end.position else {
            return .anotherPast(token)
        }
        return history.keepsHistory ? .forgotten(token) : .historyNotKept
    }

    /// What was stored at a place, without secrets.
    nonisolated func values(at token: ChangeToken) async throws(SettingsError) -> SettingTree {
        try await perform { (persister) throws(SettingsError) in
            guard !persister.isClosed else { throw .closed(key: nil) }
            await persister.deliver()
            // The tree first: taking back what it does not have yet changes nothing.
            var tree = persister.stored
            for (token, transaction) in try await persister.everything(after: token).reversed() {
                guard let mutations = transaction.mutations else { throw .unknownChanges(at: token) }
                tree.takeBack(mutations)
            }
            _ = MigrationRecord(takenFrom: &tree)
            for key in persister.log.secretKeys where tree[key] != nil { tree[key] = nil }
            return tree
        }
    }

    // MARK: What is kept

    /// Says what of the history is to be kept, before anything is appended.
    nonisolated func keepHistory(_ policy: HistoryPolicy?) {
        guard let policy else { return }
        enqueue { persister in
            guard !persister.isClosed else { return }
            guard let history = persister.history else {
                if policy.isKept { persister.report(.storageWithoutHistory) }
                return
            }
            do throws(StorageError) {
                try await persister.call { () throws(StorageError) in try await history.keepHistory(policy) }
                if persister.newestPlace == nil { persister.appended(at: history.token) }
            } catch {
                persister.report(.historyNotChanged(error))
            }
        }
    }

    /// Keeps values of secrets out of the history, because a group with them has been opened.
    nonisolated func withhold(_ keys: [SettingKey]) {
        enqueue { persister in
            guard !persister.isClosed, let history = persister.history else { return }
            do throws(StorageError) {
                try await persister.call { () throws(StorageError) in try await history.withhold(keys) }
                persister.beginFeedAnew()
            } catch {
                persister.reportOnce(error)
            }
        }
    }

    /// Removes the values of some keys from the history.
    nonisolated func forgetHistory(of keys: [SettingKey]) async throws(SettingsError) {
        try await perform { (persister) throws(SettingsError) in
            guard !persister.isClosed else { throw .closed(key: nil) }
            guard let history = persister.history else { return }
            defer { persister.beginFeedAnew() }
            for key in keys {
                do {
                    try await persister.call { () throws(StorageError) in try await history.forgetHistory(of: key) }
                } catch {
                    throw .storage(error)
                }
            }
        }
    }

    /// What followers share must not tell what the storage does not tell any more: they go on from the storage.
    func beginFeedAnew() {
        guard let token = history?.token, log.lock.withLock({ !log.feed.records.isEmpty }) else { return }
        log.feed([], after: token).resumeTasks(of: log)
    }
}

extension StoredTransaction {
    /// Without the values of secrets, and without the record of migrations, which tells whether it was one.
    fileprivate func visible(without secrets: Set<SettingKey>) -> StoredTransaction {
        var visible = withholding(secrets)
        guard let all = visible.mutations, all.contains(where: { MigrationRecord.has($0.key) }) else { return visible }
        visible.origin = .migration
        visible.mutations = all.filter { !MigrationRecord.has($0.key) }
        return visible
    }
}

extension MutationLog {
    /// The keys of declared secrets, in every spelling.
    var secretKeys: Set<SettingKey> {
        lock.withLock { Set(stored.slots.all.filter(\.isSecret).flatMap(spellings)) }
    }

    /// The keys of some settings, in every spelling.
    func spellings(of keys: [SettingKey]) -> [SettingKey] {
        lock.withLock { keys.compactMap { stored.slots[$0] }.flatMap(spellings) }
    }

    /// Under the lock.
    private func spellings(of slot: SettingSlot) -> [SettingKey] { [slot.key] + stored.slots.otherSpellings(of: slot) }
}

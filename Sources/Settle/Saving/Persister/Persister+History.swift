/// Reads of the storage's history, each in turn with the saves; see ``HistoryReader``.
extension Persister {
    /// Returns the transactions before a position, newest first; none if the history begins there.
    nonisolated func historyPage(before token: ChangeToken?) async throws(SettingsError) -> [HistoryTransaction] {
        try await perform { (persister) throws(SettingsError) in
            guard !persister.isClosed else { throw .closed(key: nil) }
            // Fetch what others have appended by now.
            if token == nil { await persister.deliver() }
            return try await persister.history.page(before: token)
        }
    }

    /// Returns the values stored at a position, without secrets.
    nonisolated func values(at token: ChangeToken) async throws(SettingsError) -> SettingTree {
        try await perform { (persister) throws(SettingsError) in
            guard !persister.isClosed else { throw .closed(key: nil) }
            await persister.deliver()
            return try await persister.history.values(at: token, from: persister.writer.stored)
        }
    }

    /// Returns the stored values, and the transactions that have led to them, newest first, both including the data
    /// beside the settings.
    nonisolated func storedHistory() async throws(SettingsError) -> (SettingTree, [HistoryTransaction]) {
        try await perform { (persister) throws(SettingsError) in
            guard !persister.isClosed else { throw .closed(key: nil) }
            await persister.deliver()
            // Read before the history: undoing a transaction that the values do not include yet changes nothing.
            var tree = persister.writer.stored
            persister.migrations.record.put(into: &tree)
            var found: [HistoryTransaction] = []
            while true {
                let page = try await persister.history.page(before: found.last?.token, isWhole: true)
                guard !page.isEmpty else { return (tree, found) }
                found += page
            }
        }
    }

    // MARK: Policy and secrets

    /// Sets which part of the history the storage keeps, before anything is appended.
    nonisolated func keepHistory(_ policy: HistoryPolicy) {
        guard policy != .unchanged else { return }
        enqueue { persister in
            guard !persister.isClosed else { return }
            do throws(SettingsError) {
                try await persister.history.keep(policy)
                if persister.writer.external.newestToken == nil {
                    persister.writer.external.appended(at: persister.history.token)
                }
            } catch {
                persister.report(error)
            }
        }
    }

    /// Keeps values of secrets out of the history, because a group with them has been opened.
    nonisolated func withhold(_ keys: [SettingKey]) {
        enqueue { persister in
            // The values that an unconfirmed commit has replaced may be of keys that no group had declared then.
            if !persister.isClosed { await persister.history.withhold(keys + [UnconfirmedCommit.key]) }
        }
    }

    /// Removes the values of some keys from the history.
    nonisolated func forgetHistory(of keys: [SettingKey]) async throws(SettingsError) {
        try await perform { (persister) throws(SettingsError) in
            guard !persister.isClosed else { throw .closed(key: nil) }
            try await persister.history.forget(keys)
        }
    }

    // MARK: Followers

    /// Finds the transactions after a position in the storage's history.
    ///
    /// - Parameter token: `nil` to begin with all values.
    nonisolated func readHistory(after token: ChangeToken?) async -> HistoryFinding {
        await perform { persister in
            guard !persister.isClosed else { return .closed }
            guard let token else { return await persister.snapshot() }
            // Fetch what others have appended by now.
            await persister.deliver()
            let (result, hasRead) = await persister.history.find(token)
            if hasRead { persister.machine.historyRead() }
            switch result {
            case .found(let finding): return finding
            case .unknown: return await persister.snapshot()
            case .unreachable: return persister.unreachable()
            }
        }
    }

    /// Makes the follower try again after a back-off, or once the storage has answered another call.
    private func unreachable() -> HistoryFinding {
        machine.historyFailed(now: time.elapsed())
        waitForNext()
        return .unreachable(attempts: log.lock.withLock { log.historyAttempts })
    }

    /// Returns all values, and the position where they are in force.
    private func snapshot() async -> HistoryFinding {
        let token: ChangeToken?
        do throws(StorageError) {
            token = try await fetchAsOfToken()
        } catch {
            errors.report(error)
            guard error.code != .unavailable else { return unreachable() }
            // It may never be readable again: the follower gets what is known.
            deliverFetched()
            token = self.token
        }
        await history.fillFeed()
        do {
            let secrets = try await history.secretKeys()
            var tree = writer.stored
            tree.remove(secrets)
            return .lost(tree, token)
        } catch {
            history.searchErrors.report(error)
            return unreachable()
        }
    }

    /// Fetches and publishes what others have stored, and returns a token that the values are not older than. A storage
    /// that finds changes by itself may find more of them meanwhile: those follow the token, even if the values include
    /// them.
    private func fetchAsOfToken() async throws(StorageError) -> ChangeToken? {
        var token: ChangeToken?
        for _ in 0..<3 {
            token = history.token
            try await fetchExternalChanges()
            errors.succeeded()
            // A file that has never been written has no history yet. Taking the lock begins it, where that is allowed.
            if history.storage != nil, history.token == nil, writer.isolation == .none, (try? await isolate()) != nil {
                await endIsolation()
            }
            deliverFetched()
            if token == history.token { break }
        }
        return token
    }

    /// Adds new transactions to the feed, once the store's values include them: a follower notified of a change must
    /// find it.
    func updateFeed() async {
        guard mustUpdateFeed else { return }
        await executor.endVisit()
        history.isFeedBehind = false
        await history.fillFeed()
        retryHistory()
    }

    /// Whether the feed lacks transactions that the store's values include, and has followers.
    var mustUpdateFeed: Bool {
        history.isFeedBehind && writer.external.isMerged && log.isHistoryFollowed && !isClosed
    }

    /// Retries followers whose history read failed.
    func retryHistory() {
        if machine.historyRetried() { log.feedAgain().resumeTasks(of: log) }
    }
}

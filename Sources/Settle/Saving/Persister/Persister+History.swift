#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the storage is told of single transactions, and what it tells of its history.
extension Persister {
    /// What a batch with everything up to a revision has to say of its transactions.
    func list(upTo revision: UInt64, in batch: inout StorageBatch) {
        let count = collectedCount - listedCount
        batch.transactionCount = max(1, count)
        guard history?.keepsHistory == true, !batch.values.isEmpty else { return }
        batch.transactions = transactions(
            count == 0 ? nil : lastListed + 1...revision, count: batch.transactionCount, values: batch.values,
            before: batch.expectedValues, author: batch.author)
    }

    /// The single transactions of a batch, as far as the log still has them.
    ///
    /// - Parameter revisions: Those that the batch has; `nil` if it only has what an earlier one has left out.
    func transactions(
        _ revisions: ClosedRange<UInt64>?, count: UInt64, values: [SettingKey: SettingValue?],
        before: [SettingKey: SettingValue], author: String?
    ) -> [StoredTransaction] {
        // Encoded outside the log's lock, since that runs foreign code.
        let logged = revisions.map(log.ownTransactions) ?? []
        var listing = TransactionListing(values, replacing: before)
        return listing.transactions(
            logged.suffix(Int(clamping: count)).map(Self.item), of: count, by: .current, batchAuthor: author,
            now: time.now())
    }

    private static func item(_ logged: LoggedTransaction) -> TransactionListing.Item {
        let details = logged.entry.details
        var item = TransactionListing.Item(
            time: logged.entry.time, author: details.author, origin: details.origin, undone: details.undone, writes: [])
        guard logged.entry.hasValues, !logged.isGivenUp else { return item }
        for mutation in details.mutations where mutation.scope != .effective && mutation.slot.schedule != nil {
            // What can't be encoded is not stored either.
            guard let old = try? mutation.slot.encoder(mutation.old) else { continue }
            let new = mutation.isRemoval ? nil : try? mutation.slot.encoder(mutation.new)
            if new != nil || mutation.isRemoval { item.writes.append((mutation.slot.key, old, new)) }
        }
        return item
    }

    /// A batch has been stored: its transactions are not listed again.
    func didList(_ batch: StorageBatch, at token: ChangeToken?) {
        if let token, batch.revision > lastListed {
            log.place(lastListed + 1...batch.revision, at: token, count: batch.transactionCount)
        }
        guard batch.revision > lastListed || batch.transactionCount > 1 else { return }
        listedCount += min(batch.transactionCount, collectedCount - listedCount)
        lastListed = max(lastListed, batch.revision)
    }
}

// MARK: Followers

extension Persister {
    /// How many records to read at once.
    private static let pageSize = 256

    /// Finds what has come after a place in the storage's history.
    ///
    /// - Parameter token: `nil` to begin with all values.
    nonisolated func readHistory(after token: ChangeToken?) async -> HistoryFinding {
        await perform { persister in
            guard !persister.isClosed else { return .closed }
            // What others have appended by now.
            await persister.deliver()
            guard let token, let history = persister.history else { return await persister.lost() }
            return await persister.find(token, in: history)
        }
    }

    private func find(_ token: ChangeToken, in history: any HistoryStorage) async -> HistoryFinding {
        await fillFeed()
        if log.lock.withLock({ log.feed.records(after: token) }) == nil {
            var found: [HistoryFeedEntry] = []
            do {
                // As much as finds room in the feed, for others that come back from the same place.
                while true {
                    let place = found.last?.token ?? token
                    let page = try await records(after: place, in: history)
                    pastWasRead()
                    guard let page else { break }
                    found += page
                    let (room, beginning) = log.lock.withLock { (log.feed.room, log.feed.beginning) }
                    guard !page.isEmpty else { return startFeed(with: found, after: token) }
                    if let beginning, let index = found.firstIndex(where: { $0.token == beginning }) {
                        found.removeSubrange((index + 1)...)
                        if found.count <= room {
                            log.lock.withLock { log.feed.prepend(found, after: token) }
                            return .inFeed
                        }
                    }
                    if found.count > room { break }
                }
                if !found.isEmpty { return .entries(found) }
            } catch {
                if error != lastPastError { report(.storage(error)) }
                lastPastError = error
                if error.code == .unavailable { return found.isEmpty ? unreachable() : .entries(found) }
                // What can't be read is as good as forgotten: the follower gets everything.
            }
            return await lost()
        }
        return .inFeed
    }

    /// The past is there, and can't be read now. The follower tries again after a back-off, or once the storage has
    /// answered to something else.
    private func unreachable() -> HistoryFinding {
        pastFailed()
        return .unreachable(attempts: log.lock.withLock { log.historyAttempts })
    }

    func readPastAgain() {
        guard machine.pastTried() else { return }
        log.feedAgain().resumeTasks(of: log)
    }

    /// The past was read.
    private func pastWasRead() {
        machine.pastRead()
        lastPastError = nil
    }

    /// The feed has another past than the storage, or none.
    private func startFeed(with found: [HistoryFeedEntry], after token: ChangeToken) -> HistoryFinding {
        log.feed(found, after: token).resumeTasks(of: log)
        return .inFeed
    }

    /// All values, and the place where they are in force.
    private func lost() async -> HistoryFinding {
        // A file that has never been written has no history yet. Taking the lock begins it, where that is allowed.
        if let history, history.token == nil, exclusion == .none, (try? await exclude()) != nil { await include() }
        await fillFeed()
        var tree = stored
        // To remove what is not there would take an empty dictionary away.
        for key in log.secretKeys where tree[key] != nil { tree[key] = nil }
        return .lost(tree, history?.token)
    }

    /// Whether anybody follows the storage's history.
    var isHistoryFollowed: Bool { log.isHistoryFollowed }

    /// Lets the feed have what is new, once the store's values have it too: who is told of a change must find it.
    func tellFollowers() async {
        guard isFeedBehind, undelivered.isEmpty, !mustFetch, isHistoryFollowed, !isClosed else { return }
        isFeedBehind = false
        await fillFeed()
        readPastAgain()
    }

    /// Lets the feed have what has been appended and fetched.
    ///
    /// It begins where the storage's past ends. Only when it is asked may the storage find out that something came after
    /// that.
    func fillFeed() async {
        guard let history, let end = history.token else { return }
        do {
            while true {
                let known = log.lock.withLock { log.feed.end }
                guard known != end else { return }
                guard let page = try await records(after: known ?? end, in: history) else { break }
                if known == nil {
                    log.feed(page, after: end).resumeTasks(of: log)
                } else if !page.isEmpty {
                    log.feed(page).resumeTasks(of: log)
                }
                guard !page.isEmpty else { return }
            }
        } catch {
            // Before it has begun, each follower asks for itself, and reports what fails.
            guard log.lock.withLock({ log.feed.end }) != nil else { return }
            reportOnce(error)
        }
        // The followers find out by themselves what they have missed.
        log.feed([], after: end).resumeTasks(of: log)
    }

    /// What the storage has after a place, transaction by transaction; `nil` if that can't be told.
    func records(
        after token: ChangeToken, in history: any HistoryStorage
    ) async throws(StorageError) -> [HistoryFeedEntry]? {
        let page = Self.pageSize
        let records = try await call { () throws(StorageError) in try await history.records(after: token, limit: page) }
        guard var records else { return nil }
        for index in records.indices { part(&records[index]) }
        guard let first = records.first else { return [] }
        if first.token.position - first.count < token.position {
            // The place is within transactions of which only the sum is known, unless the log still has each.
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

    /// Tells transactions apart that the store has appended together, as far as the log still has them.
    func part(_ record: inout StoredRecord) {
        guard record.transactions.count == 1, record.count > 1, let sum = record.transactions.first,
            let revisions = log.lock.withLock({ log.changes.appended.ownRevisions(endingAt: record.token) }),
            let mutations = sum.mutations
        else { return }
        var (before, after): ([SettingKey: SettingValue], [SettingKey: SettingValue?]) = ([:], [:])
        for mutation in mutations where !mutation.isWithheld {
            before[mutation.key] = mutation.oldValue
            after.updateValue(mutation.newValue, forKey: mutation.key)
        }
        record.transactions = transactions(
            revisions, count: sum.count, values: after, before: before, author: sum.author.name)
    }
}

extension TransactionAuthor {
    /// This process.
    static let current = TransactionAuthor(
        program: ProcessInfo.processInfo.processName, process: ProcessInfo.processInfo.processIdentifier, user: user)

    /// Where apps have a device to themselves, there is no user to name.
    private static var user: String? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            nil
        #else
            ProcessInfo.processInfo.userName
        #endif
    }
}

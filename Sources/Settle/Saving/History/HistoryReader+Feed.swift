/// The feed that the followers of the history share.
extension HistoryReader {
    /// The result of a search for a follower.
    enum Search {
        case found(HistoryFinding)
        /// It is not known what was stored after the position.
        case unknown
        /// The history exists, but can't be read now.
        case unreachable
    }

    /// Finds the transactions after a position.
    ///
    /// - Returns: Also whether the storage has answered.
    func find(_ token: ChangeToken) async -> (result: Search, hasRead: Bool) {
        guard let storage else { return (.unknown, false) }
        await fillFeed()
        guard log.lock.withLock({ log.feed.records(after: token) }) == nil else { return (.found(.inFeed), false) }
        var found: [HistoryFeedEntry] = []
        var hasRead = false
        do {
            while let page = try await records(after: found.last?.token ?? token, in: storage) {
                hasRead = true
                searchErrors.succeeded()
                found += page
                if let finding = share(found, isEnd: page.isEmpty, after: token) { return (.found(finding), true) }
            }
            searchErrors.succeeded()
            return (found.isEmpty ? .unknown : .found(.entries(found)), true)
        } catch {
            searchErrors.report(error)
            // A history that can never be read is as good as forgotten: the follower gets everything.
            guard error.code == .unavailable else { return (.unknown, hasRead) }
            return (found.isEmpty ? .unreachable : .found(.entries(found)), hasRead)
        }
    }

    /// Adds the entries read for a follower to the feed, if they fit: others may resume from the same token.
    ///
    /// - Parameter isEnd: Whether the history ends there.
    /// - Returns: The entries for the follower; `nil` if more has to be read first.
    private func share(_ found: [HistoryFeedEntry], isEnd: Bool, after token: ChangeToken) -> HistoryFinding? {
        guard !isEnd else {
            // The feed lacked this end, so it has another history, or nothing.
            log.feed(found, after: token).resumeTasks(of: log)
            return .inFeed
        }
        let (room, beginning) = log.lock.withLock { (log.feed.room, log.feed.beginning) }
        guard let beginning, let index = found.firstIndex(where: { $0.token == beginning }) else {
            return found.count > room ? .entries(found) : nil
        }
        let missing = Array(found[...index])
        guard missing.count <= room else { return .entries(missing) }
        log.lock.withLock { log.feed.prepend(missing, after: token) }
        return .inFeed
    }

    /// Adds to the feed what has been appended and fetched.
    ///
    /// It begins at the end of the storage's history. The storage may find later transactions only when it is asked.
    func fillFeed() async {
        guard let storage, let end = storage.token else { return }
        do {
            let withheld = try await withheldKeys()
            // The feed may have values from before another process declared them secret.
            if !withheld.isSubset(of: withheldFromFeed) { restartFeed() }
            withheldFromFeed = withheld
            while true {
                let known = log.lock.withLock { log.feed.end }
                guard known != end else { return }
                guard let page = try await records(after: known ?? end, in: storage) else { break }
                if known == nil || !page.isEmpty {
                    log.feed(page, after: known == nil ? end : nil).resumeTasks(of: log)
                }
                // A page may go beyond the end of before: others may append as fast as it is read.
                guard known != nil, !page.isEmpty, !page.contains(where: { $0.token == end }) else { return }
            }
        } catch {
            // Until the feed has begun, each follower asks for itself, and reports failures.
            guard log.lock.withLock({ log.feed.end }) != nil else { return }
            errors.report(error)
        }
        // The followers find out by themselves what they have missed.
        log.feed([], after: end).resumeTasks(of: log)
    }

    /// Adds to the feed what has been appended and fetched, if the file has it in memory. Never waits.
    ///
    /// - Returns: Whether the feed has everything now. Otherwise it is as before.
    func fillFeedAtOnce(from file: FileStorage) -> Bool {
        guard let known = log.lock.withLock({ log.feed.end }),
            let (entries, withheld) = recordsAtOnce(after: known, in: file), withheld == withheldFromFeed
        else { return false }
        if !entries.isEmpty { log.feed(entries).resumeTasks(of: log) }
        return true
    }

    /// Empties the feed, which must not show values that the storage now withholds: followers resume from the storage.
    func restartFeed() {
        guard let token, log.lock.withLock({ !log.feed.records.isEmpty }) else { return }
        log.feed([], after: token).resumeTasks(of: log)
    }
}

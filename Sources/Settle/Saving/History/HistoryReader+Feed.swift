/// The feed, which those who follow the history share.
extension HistoryReader {
    /// The result of a search for a follower.
    enum Search {
        case found(HistoryFinding)
        /// It is not known what has come after the position.
        case unknown
        /// The history is there, and can't be read now.
        case unreachable
    }

    /// Finds what has come after a position.
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
            // What can't be read for good is as good as forgotten: the follower gets everything.
            guard error.code == .unavailable else { return (.unknown, hasRead) }
            return (found.isEmpty ? .unreachable : .found(.entries(found)), hasRead)
        }
    }

    /// Puts what was read for a follower into the feed, if that has room for it: others may come back from the same
    /// token.
    ///
    /// - Parameter isEnd: Whether the history ends there.
    /// - Returns: What the follower gets; `nil` if more has to be read first.
    private func share(_ found: [HistoryFeedEntry], isEnd: Bool, after token: ChangeToken) -> HistoryFinding? {
        guard !isEnd else {
            // The feed did not have the end before, so it has another history, or nothing.
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

    /// Gives the feed what has been appended and fetched.
    ///
    /// It begins where the storage's history ends. Only when it is asked may the storage find out that something came
    /// after that.
    func fillFeed() async {
        guard let storage, let end = storage.token else { return }
        do {
            let withheld = try await withheldKeys()
            // What the feed has may be of a time when another process had not said yet that it is secret.
            if !withheld.isSubset(of: withheldFromFeed) { restartFeed() }
            withheldFromFeed = withheld
            while true {
                let known = log.lock.withLock { log.feed.end }
                guard known != end else { return }
                guard let page = try await records(after: known ?? end, in: storage) else { break }
                if known == nil || !page.isEmpty {
                    log.feed(page, after: known == nil ? end : nil).resumeTasks(of: log)
                }
                guard !page.isEmpty else { return }
            }
        } catch {
            // Before it has begun, each follower asks for itself, and reports what fails.
            guard log.lock.withLock({ log.feed.end }) != nil else { return }
            errors.report(error)
        }
        // The followers find out by themselves what they have missed.
        log.feed([], after: end).resumeTasks(of: log)
    }

    /// What the followers share must not show what the storage does not show any more: they resume from the storage.
    func restartFeed() {
        guard let token, log.lock.withLock({ !log.feed.records.isEmpty }) else { return }
        log.feed([], after: token).resumeTasks(of: log)
    }
}

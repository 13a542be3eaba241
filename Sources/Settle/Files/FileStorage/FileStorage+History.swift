/// The history in the journal.
extension FileStorage {
    public func records(after token: ChangeToken, limit: Int) throws(StorageError) -> [StoredRecord]? {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            return try session.records(after: token, limit: max(1, limit))
        }
    }

    /// Returns all records after a token with the keys that they withhold, if the records are in memory, and no more
    /// than the limit. Never waits.
    func recordsAtOnce(after token: ChangeToken, limit: Int) -> (records: [StoredRecord], withheld: Set<SettingKey>)? {
        let found = withLockIfAvailable { session -> (records: [StoredRecord], withheld: Set<SettingKey>)? in
            guard case .ready = session.phase, let records = session.recentRecords(after: token, limit: limit),
                records.last.map({ $0.token == session.journal.token }) ?? true
            else { return nil }
            return (records, session.withheldKeys)
        }
        return found ?? nil
    }

    public func records(before token: ChangeToken?, limit: Int) throws(StorageError) -> [StoredRecord] {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            return try session.records(before: token, limit: max(1, limit))
        }
    }

    public var token: ChangeToken? { knownHistory.token }

    public var keepsHistory: Bool { knownHistory.isKept }

    /// Records the policy in the journal, before the values, where all processes find it.
    public func keepHistory(_ policy: HistoryPolicy) throws(StorageError) {
        guard policy != .unchanged else { return }
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.keepHistory(policy)
        }
    }

    public func withhold(_ keys: [SettingKey]) throws(StorageError) {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.withhold(keys)
        }
    }

    /// Returns the secrets of this process, and those that others have recorded in the journal, which they do while it
    /// has a history.
    public func withheldKeys() -> Set<SettingKey> { withLock { $0.withheldKeys } }

    public func forgetHistory(of key: SettingKey) throws(StorageError) {
        try withSession { (session) throws(StorageError) in
            try session.beginCall()
            try session.forgetHistory(of: key)
        }
    }
}

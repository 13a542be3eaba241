/// Changing what is kept of the past.
///
/// What is said is appended to the journal first, so that all processes keep to it, and then done to what is kept
/// already. Whether there is something to be done is seen from what the files have, so that what a failure or the end
/// of a process has left undone is done the next time:
///
///     keepHistory(.none)   the file of the past is removed, and a journal without transactions begun
///     withhold             both are written anew, if one of them tells a value of a secret
///     forgetHistory        both are written anew
extension FileSession {
    /// Says in the journal what is kept of the past.
    mutating func keepHistory(_ policy: HistoryPolicy) throws(StorageError) {
        if contents.history?.policy ?? .none != policy {
            try acquire()
            defer { release() }
            try tell(JournalHistory(policy: policy, secrets: secretKeys))
            untoldSecrets = []
            // Rare, and all processes are to keep to it, whatever happens to this one.
            try synchronize()
        }
        if !policy.isKept { try removePast() }
    }

    private mutating func tell(_ history: JournalHistory) throws(StorageError) {
        try append(.history(history))
        contents.add(.history(history))
    }

    private mutating func removePast() throws(StorageError) {
        guard !contents.listed.isEmpty || (try? operations.status(at: names.history)) != nil else { return }
        try acquire()
        defer { release() }
        guard !keepsHistory else { return }
        try fileErrors { (session) throws(FileError) in
            try session.pastFile.remove()
            if !session.contents.listed.isEmpty { try session.replaceJournal() }
        }
    }

    // MARK: Secrets

    /// From now on, no history has values of some keys.
    mutating func withhold(_ keys: [SettingKey]) throws(StorageError) {
        let keys = Set(keys)
        secretKeys.formUnion(keys)
        journalRecords = nil
        guard keepsHistory else { return }
        for key in keys where contents.history?.secrets.contains(key) != true { untoldSecrets.insert(key) }
        try tellSecrets()
        let isKept = try fileErrors(of: names.history, as: StorageError.unreadable) { (session) throws(FileError) in
            try session.keepsValues(of: keys)
        }
        guard isKept else { return }
        try acquire()
        defer { release() }
        try rewritePast()
    }

    /// Only the new ones: there may be as many as there are groups.
    private mutating func tellSecrets() throws(StorageError) {
        guard !untoldSecrets.isEmpty else { return }
        try acquire()
        defer { release() }
        guard let policy = contents.history?.policy, policy.isKept else { return }
        try tell(JournalHistory(policy: policy, secrets: untoldSecrets))
        untoldSecrets = []
    }

    /// Whether the journal or the file of the past tells values of some secrets.
    private mutating func keepsValues(of keys: Set<SettingKey>) throws(FileError) -> Bool {
        if contents.listed.contains(anyOf: keys) { return true }
        // One that knows them has none, and need not be read.
        if pastIndex == nil, let kept = try pastFile.history(), keys.isSubset(of: kept.secrets) { return false }
        return try pastFile.read(knowing: &pastIndex) { (past) throws(FileError) in
            past?.index.mentioned.contains(anyOf: keys) ?? false
        }
    }

    /// Another process says what is kept, and may not know of this one's secrets.
    mutating func addSecrets() {
        guard let history = contents.history, history.policy.isKept else { return }
        let untold = secretKeys.subtracting(history.secrets)
        guard !untold.isEmpty else { return }
        let added = JournalHistory(policy: history.policy, secrets: untold)
        // The next journal has them, also if it is begun before this one is told.
        contents.add(.history(added))
        repairs.tell(.history(added))
    }

    // MARK: Forgetting

    /// Removes a key from the history, also from what the journal says of earlier values.
    mutating func forgetHistory(of key: SettingKey) throws(StorageError) {
        guard keepsHistory || journal.isOpen else { return }
        try acquire()
        defer { release() }
        try rewritePast(forgetting: key)
    }

    /// Writes anew what is kept of each transaction, also of those that stand in the journal, which is begun anew.
    ///
    /// - Parameter forgotten: A key of which neither says any more what was there before.
    private mutating func rewritePast(forgetting forgotten: SettingKey? = nil) throws(StorageError) {
        try fileErrors { (session) throws(FileError) in
            try session.keepPast(of: session.knownRecords(), isWrittenAnew: true, forgetting: forgotten)
            // What the journal has of it is in the past by now.
            try session.replaceJournal(forgetting: forgotten)
            session.recent.begin(at: session.journal.token)
        }
    }
}

extension JournalRecord.Content {
    /// What a process adds to the secrets does not take back a policy that has been given meanwhile.
    func followingPolicy(_ policy: HistoryPolicy?) -> JournalRecord.Content {
        guard case .history(var history) = self, let policy else { return self }
        history.policy = policy
        return .history(history)
    }
}

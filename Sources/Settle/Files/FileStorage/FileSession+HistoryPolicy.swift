/// Changing what is kept of the past.
///
/// What is said is appended to the journal first, so that all processes keep to it, and then another journal takes its
/// place that is without what may not be kept. Whether one must is seen from what the journal has, so that what a
/// failure or the end of a process has left undone is done the next time.
extension FileSession {
    /// Says in the journal what is kept of the past.
    mutating func keepHistory(_ policy: HistoryPolicy) throws(StorageError) {
        if state.history?.policy ?? .none != policy {
            try acquire()
            defer { release() }
            try appendState(.history(JournalHistory(policy: policy, secrets: history.secrets)))
            untoldSecrets = []
            // Rare, and all processes are to keep to it, whatever happens to this one.
            try synchronize()
        }
        if !policy.isKept { try removePast() }
    }

    private mutating func removePast() throws(StorageError) {
        guard hasTransactions else { return }
        try acquire()
        defer { release() }
        guard !keepsHistory, hasTransactions else { return }
        try StorageError.saving(names.file, replaceJournal(keeping: nil))
    }

    /// Whether the journal tells of transactions.
    private var hasTransactions: Bool { !state.listed.isEmpty || journal.hasPast }

    // MARK: Secrets

    /// From now on, no history has values of some keys.
    mutating func withhold(_ keys: [SettingKey]) throws(StorageError) {
        let keys = Set(keys)
        history.secrets.formUnion(keys)
        guard keepsHistory else { return }
        for key in keys where state.history?.secrets.contains(key) != true { untoldSecrets.insert(key) }
        try tellSecrets()
        guard try StorageError.reading(journal.path, keepsValues(of: keys)) else { return }
        try acquire()
        defer { release() }
        try rewritePast()
    }

    /// The secrets of this process, and those that others have recorded in the journal.
    var withheldKeys: Set<SettingKey> { history.secrets.union(state.history?.secrets ?? []) }

    /// Only the new ones: there may be as many as there are groups.
    private mutating func tellSecrets() throws(StorageError) {
        guard !untoldSecrets.isEmpty else { return }
        try acquire()
        defer { release() }
        guard let policy = state.history?.policy, policy.isKept else { return }
        try appendState(.history(JournalHistory(policy: policy, secrets: untoldSecrets)))
        untoldSecrets = []
    }

    /// Whether the journal tells values of some secrets.
    private mutating func keepsValues(of keys: Set<SettingKey>) throws(FileError) -> Bool {
        if state.listed.contains(anyOf: keys) { return true }
        // What was kept when they were secrets already has none, and need not be read.
        guard state.secretsOfPast?.isSuperset(of: keys) != true else { return false }
        return try history.past(in: journal)?.mentioned.contains(anyOf: keys) ?? false
    }

    /// Another process says what is kept, and may not know of this one's secrets.
    mutating func addSecrets() {
        guard let kept = state.history, kept.policy.isKept else { return }
        let unknown = history.secrets.subtracting(kept.secrets)
        guard !unknown.isEmpty else { return }
        let added = JournalHistory(policy: kept.policy, secrets: unknown)
        // The next journal has them, also if it is begun before this one is told.
        state.add(.history(added), at: journal.end.offset, over: inForce.tree)
        untold.append(.history(added))
    }

    // MARK: Forgetting

    /// Removes a key from the history, also from what the journal says of earlier values.
    mutating func forgetHistory(of key: SettingKey) throws(StorageError) {
        guard keepsHistory || journal.isOpen else { return }
        try acquire()
        defer { release() }
        try rewritePast(forgetting: key)
    }

    /// Writes anew what is kept of each transaction.
    ///
    /// - Parameter forgotten: A key of which nothing says any more what was there before.
    private mutating func rewritePast(forgetting forgotten: SettingKey? = nil) throws(StorageError) {
        try StorageError.saving(
            names.file, replaceJournal(keeping: history.kept(of: journal, state.history, forgetting: forgotten)))
        history.recent.begin(at: journal.token)
    }
}

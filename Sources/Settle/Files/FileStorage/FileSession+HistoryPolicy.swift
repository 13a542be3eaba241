/// Changing the history policy.
///
/// The policy is first appended to the journal, so that all processes follow it. Then another journal replaces that
/// one, without the data that may not be kept. The journal's contents show whether a replacement is needed, so a step
/// left undone by a failure or the end of a process is done the next time.
extension FileSession {
    /// Records the history policy in the journal.
    mutating func keepHistory(_ policy: HistoryPolicy) throws(StorageError) {
        if state.history?.policy ?? .none != policy {
            try acquire()
            defer { release() }
            try appendState(.history(JournalHistory(policy: policy, secrets: history.secrets)))
            untoldSecrets = []
            // Rare, and all processes must follow it, whatever happens to this one.
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

    /// Whether the journal has transactions with their changes.
    private var hasTransactions: Bool { !state.listed.isEmpty || journal.hasPast }

    // MARK: Secrets

    /// Keeps the values of some keys out of all histories from now on.
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

    /// Records the new secrets only: there may be as many as there are groups.
    private mutating func tellSecrets() throws(StorageError) {
        guard !untoldSecrets.isEmpty else { return }
        try acquire()
        defer { release() }
        guard let policy = state.history?.policy, policy.isKept else { return }
        try appendState(.history(JournalHistory(policy: policy, secrets: untoldSecrets)))
        untoldSecrets = []
    }

    /// Returns whether the journal's history has values of some secrets.
    private mutating func keepsValues(of keys: Set<SettingKey>) throws(FileError) -> Bool {
        if state.listed.contains(anyOf: keys) { return true }
        // History that was kept while they were secrets has no values of them, and need not be read.
        guard state.secretsOfPast?.isSuperset(of: keys) != true else { return false }
        return try history.past(in: journal)?.mentioned.contains(anyOf: keys) ?? false
    }

    /// Adds this process's secrets to the policy of another process, which may not know them.
    mutating func addSecrets() {
        guard let kept = state.history, kept.policy.isKept else { return }
        let unknown = history.secrets.subtracting(kept.secrets)
        guard !unknown.isEmpty else { return }
        let added = JournalHistory(policy: kept.policy, secrets: unknown)
        // The next journal has them, even if it is begun before they are recorded in this one.
        state.add(.history(added), at: journal.end.offset, over: inForce.tree)
        untold.append(.history(added))
    }

    // MARK: Forgetting

    /// Removes a key from the history, including the journal's records of earlier values.
    mutating func forgetHistory(of key: SettingKey) throws(StorageError) {
        guard keepsHistory || journal.isOpen else { return }
        try acquire()
        defer { release() }
        try rewritePast(forgetting: key)
    }

    /// Rewrites the history of each transaction.
    ///
    /// - Parameter forgotten: A key whose earlier values are no longer recorded anywhere; `nil` to remove those of
    ///   secrets, which have to go before anything else is stored.
    private mutating func rewritePast(forgetting forgotten: SettingKey? = nil) throws(StorageError) {
        try StorageError.saving(
            names.file,
            replaceJournal(
                keeping: history.kept(of: journal, state.history, forgetting: forgotten), isDue: forgotten == nil))
        history.recent.begin(at: journal.token)
    }
}

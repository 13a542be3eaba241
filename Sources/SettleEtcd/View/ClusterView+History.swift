import Settle

/// The tokens of transactions.
///
/// The position of a token is etcd's revision. Its checksum covers the values stored at this revision, which
/// distinguishes a token of another history, as after a backup was restored.
extension ClusterView {
    /// The state of a history that begins with the last write, although something may have been deleted after it.
    struct UnsureBeginning: Sendable {
        /// The read at the beginning.
        var reading: Reading
        /// The number of settings then. Nothing was written after the beginning, so it can only have decreased.
        var settings: Int
        /// The token of the read.
        var end: ChangeToken
    }

    /// The identifier of the history of the settings under the prefix.
    var history: UInt64 {
        var hash = ContentHash(seed: mirror.cluster)
        space.key("").withUnsafeBytes { hash.combine($0) }
        return hash.value
    }

    func token(at revision: Int64, in mirror: Mirror) -> ChangeToken {
        ChangeToken(
            history: history, position: UInt64(clamping: revision), checksum: mirror.checksum(at: revision))
    }

    /// Begins the history here, as far as it is known: everything was read.
    ///
    /// - Parameter hasDeletions: Whether something that existed is known to be deleted. If a tool without a marker
    ///   deleted it, nothing that remains shows when: then the token is that of the read, so that followers read the
    ///   history before it.
    mutating func beginHistory(hasDeletions: Bool = false) {
        beginFollowing()
        let newest = mirror.newestRevision
        let reading = Reading(revision: mirror.revision, newest: newest, count: mirror.count)
        // If nothing was ever stored, the history begins with the next transaction.
        let isWritten = newest > 0 && !hasDeletions
        difference = isWritten ? nil : reading
        let beginning = isWritten ? newest : mirror.revision
        let token = beginning > 0 ? token(at: beginning, in: mirror) : nil
        unsure =
            isWritten && newest < mirror.revision
            ? UnsureBeginning(
                reading: reading, settings: mirror.settingCount, end: self.token(at: mirror.revision, in: mirror))
            : nil
        recent.begin(at: token)
    }

    func isUnsure(_ token: ChangeToken) -> Bool { unsure != nil && recent.beginning == token }

    /// Determines from the state at the beginning of the history whether anything was deleted since. Only that state
    /// shows it.
    ///
    /// - Parameter past: `nil` if etcd has forgotten it. Then the question can't be decided.
    mutating func makeSure(by past: Mirror?) {
        guard let beginning = unsure else { return }
        unsure = nil
        guard let past, past.settingCount != beginning.settings else { return }
        difference = beginning.reading
        recent.moveBeginning(to: beginning.end)
    }

    /// Returns the read that must be reached to know everything up to a token. Possibly nothing was stored at the token
    /// of a read: the contents of the read show when all of it has arrived.
    func reading(upTo token: ChangeToken) -> Reading {
        let revision = Int64(clamping: token.position)
        return difference.flatMap { $0.revision == revision ? $0 : nil } ?? Reading(revision: revision)
    }

    /// The read that must be reached to know everything up to the beginning of the known history, with its first
    /// transaction.
    var readingUpToRecent: Reading? {
        if let first = recent.records.first { return Reading(revision: Int64(clamping: first.token.position)) }
        return recent.beginning.map(reading)
    }

    /// Returns the transactions among some updates.
    ///
    /// - Parameter past: The keys as they were before the first of them.
    func records(
        _ updates: [Mirror.Update], over past: Mirror, upTo last: Int64, limit: Int = .max
    ) -> [StoredRecord] {
        var (past, records): (Mirror, [StoredRecord]) = (past, [])
        for update in updates where update.revision <= last && records.count < limit {
            let effect = past.apply(update)
            let marker = update.puts.lazy.compactMap(space.marker(in:)).first
            guard var record = record(effect, of: update, by: marker) else { continue }
            record.transactions = record.transactions.map { $0.withholding(recent.secrets) }
            records.append(record)
        }
        return records
    }

    /// Returns the effect of an update, with its token.
    ///
    /// - Returns: `nil` for an update that is not a transaction, such as a lock.
    func record(_ effect: Mirror.Effect, of update: Mirror.Update, by marker: Marker?) -> StoredRecord? {
        guard space.hasTransaction(update) else { return nil }
        let token = ChangeToken(
            history: history, position: UInt64(clamping: update.revision), checksum: space.checksum(of: update))
        let mutations = effect.values.keys.sorted().map { key in
            StoredMutation(key: key, oldValue: effect.replaced[key], newValue: effect.values[key] ?? nil)
        }
        return StoredRecord(token: token, transactions: [StoredTransaction(marker, mutations)])
    }
}

extension KeySpace {
    func marker(in pair: GatewayPair) -> Marker? {
        guard let name = name(of: pair.key), case .marker = name.kind else { return nil }
        return Marker(pair.value)
    }

    /// Returns whether an update is more than a lock or a marker.
    func hasTransaction(_ update: Mirror.Update) -> Bool {
        (update.puts.map(\.key) + update.deletes).contains { name(of: $0)?.isSetting == true }
    }
}

extension Mirror {
    /// The revision of the last stored key that is not a lock.
    var newestRevision: Int64 {
        entries.values.reduce(0) { newest, entry in
            if case .lock = entry.content { newest } else { max(newest, entry.modRevision) }
        }
    }

    /// The number of keys that are settings, whether their values can be used or not.
    var settingCount: Int {
        entries.values.count { entry in
            switch entry.content {
            case .setting, .unusable: true
            case .marker, .lock, .head, .schema, .nested: false
            }
        }
    }

    /// Returns a checksum of the values stored at a revision, if nothing has been stored over them.
    func checksum(at revision: Int64) -> UInt64 {
        Self.checksum(
            revision, entries.lazy.filter { $0.value.modRevision == revision }.map { ($0.key, $0.value.content) })
    }

    fileprivate static func checksum(_ revision: Int64, _ stored: some Sequence<(KeyName, Content)>) -> UInt64 {
        var hash = ContentHash(seed: UInt64(clamping: revision))
        for (name, content) in stored.sorted(by: { $0.0 < $1.0 }) {
            guard let digest = content.digest else { continue }
            for bytes in [name.bytes, digest] { bytes.withUnsafeBytes { hash.combine($0) } }
        }
        return hash.value
    }
}

extension KeySpace {
    /// Returns the same checksum for the values stored by an update. Later changes do not matter.
    fileprivate func checksum(of update: Mirror.Update) -> UInt64 {
        Mirror.checksum(
            update.revision,
            update.puts.compactMap { pair in name(of: pair.key).map { ($0, Mirror.content($0, pair.value)) } })
    }
}

extension Mirror.Content {
    /// The bytes to hash; `nil` for a marker, which is removed with its client, and for what else is no setting.
    fileprivate var digest: [UInt8]? {
        switch self {
        case .setting(_, let value): (try? value.jsonBytes()) ?? []
        case .unusable: []
        case .marker, .lock, .head, .schema, .nested: nil
        }
    }
}

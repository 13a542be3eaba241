import Settle

/// Where transactions stand in the history.
///
/// The position of a token is etcd's revision. Its checksum is made of what was stored at this revision, so that one of
/// another history, as after a backup was restored, is told apart.
extension ClusterView {
    /// The history begins with the last thing that was written, but something may have been deleted after it.
    struct UnsureBeginning: Sendable {
        /// What was read.
        var reading: Reading
        /// How many settings there were. Nothing was written after the beginning, so they can only have become fewer.
        var settings: Int
        /// The token of the read.
        var end: ChangeToken
    }

    /// Identifies the history of the settings under the prefix.
    var history: UInt64 {
        var hash = ContentHash(seed: mirror.cluster)
        space.key("").withUnsafeBytes { hash.combine($0) }
        return hash.value
    }

    func token(at revision: Int64, in mirror: Mirror) -> ChangeToken {
        ChangeToken(
            history: history, position: UInt64(clamping: revision), checksum: mirror.checksum(at: revision))
    }

    /// The history begins here, as far as it is known: everything was read.
    ///
    /// - Parameter hasDeletions: Whether something is known to be gone that was there. Where a tool without a marker
    ///   has deleted it, nothing that is there tells when: then the token is that of the read, so that followers look
    ///   for what came before it.
    mutating func beginHistory(hasDeletions: Bool = false) {
        beginFollowing()
        let newest = mirror.newestRevision
        let reading = Reading(revision: mirror.revision, newest: newest, count: mirror.count)
        // Where nothing was ever stored, the history begins with what comes next.
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

    /// Only what was there when the history begins tells whether anything was deleted since.
    ///
    /// - Parameter past: `nil` if etcd has forgotten it. Then it can't be told.
    mutating func makeSure(by past: Mirror?) {
        guard let beginning = unsure else { return }
        unsure = nil
        guard let past, past.settingCount != beginning.settings else { return }
        difference = beginning.reading
        recent.moveBeginning(to: beginning.end)
    }

    /// What has to be read to know everything up to a token. Nothing may have happened at the token of a read: what it
    /// has shown tells when all of it has come.
    func reading(upTo token: ChangeToken) -> Reading {
        let revision = Int64(clamping: token.position)
        return difference.flatMap { $0.revision == revision ? $0 : nil } ?? Reading(revision: revision)
    }

    /// What has to be read to know everything up to the beginning of what is known, with its first transaction.
    var readingUpToRecent: Reading? {
        if let first = recent.records.first { return Reading(revision: Int64(clamping: first.token.position)) }
        return recent.beginning.map(reading)
    }

    /// The transactions among some updates.
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

    /// What an update did, with its token.
    ///
    /// - Returns: `nil` for what is no transaction, such as a lock.
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

    /// Whether an update is more than a lock or a marker.
    func hasTransaction(_ update: Mirror.Update) -> Bool {
        (update.puts.map(\.key) + update.deletes).contains { name(of: $0)?.isSetting == true }
    }
}

extension Mirror {
    /// The revision at which something but a lock was stored last.
    var newestRevision: Int64 {
        entries.values.reduce(0) { newest, entry in entry.content == .lock ? newest : max(newest, entry.modRevision) }
    }

    /// The number of keys that are neither markers nor locks.
    var settingCount: Int {
        entries.values.count { entry in
            switch entry.content {
            case .setting, .unusable: true
            case .marker, .lock, .nested: false
            }
        }
    }

    /// Made of what was stored at a revision, if nothing has been stored over it.
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
    /// The same, made of what an update has stored: what has come after it does not matter.
    fileprivate func checksum(of update: Mirror.Update) -> UInt64 {
        Mirror.checksum(
            update.revision,
            update.puts.compactMap { pair in name(of: pair.key).map { ($0, Mirror.content($0, pair.value)) } })
    }
}

extension Mirror.Content {
    /// `nil` for a marker, which goes with its client, and for a lock.
    fileprivate var digest: [UInt8]? {
        switch self {
        case .setting(_, let value): (try? value.jsonBytes()) ?? []
        case .unusable: []
        case .marker, .lock, .nested: nil
        }
    }
}

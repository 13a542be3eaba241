public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// etcd keeps what happened, until it is told to compact it: so a follower goes on where it was, also on another machine.
///
/// The position of a token is etcd's revision. Its checksum is made of what was stored at this revision, so that one of
/// another past, as after a backup was restored, is told apart.
extension EtcdStorage {
    public func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        let limit = max(1, limit)
        if !isUnsure(token), let found = recent.withLock({ $0.records(after: token, limit: limit) }),
            !found.isEmpty || isFollowing && landed.isEmpty
        {
            return found
        }
        return try await turns.run { () throws(StorageError) in
            try checkOpen()
            try await connect()
            defer { if log.hasNews, log.signal() { tell(.mayHaveChanged) } }
            if !isFollowing || landed.isEmpty { try await refresh() }
            // What is between own transactions is known when they come back.
            if let newest = landed.keys.max(), await !catchUp(to: Reading(revision: newest)) {
                throw StorageError(
                    .unavailable,
                    "What was stored under “\(space.prefix)” up to revision \(newest) can't be followed yet. Try again when the "
                        + "members answer.")
            }
            if isUnsure(token) { try await makeSure(of: token) }
            if let found = recent.withLock({ $0.records(after: token, limit: limit) }) { return found }
            guard token.history == history, let end = self.token, token.position < end.position else { return nil }
            return try await read(after: token, upTo: end, limit: limit)
        }
    }

    /// Those that this storage has followed, or fewer.
    public func records(before token: ChangeToken?, limit: Int) throws(StorageError) -> [StoredRecord] {
        try checkOpen()
        return recent.withLock { $0.records(before: token, limit: max(1, limit)) }
    }

    public nonisolated var token: ChangeToken? { recent.withLock { $0.end } }

    /// False: etcd keeps what each revision has changed, until it compacts it.
    public nonisolated var keepsHistory: Bool { false }

    /// Does nothing: how long etcd keeps its past is a setting of the cluster, `--auto-compaction-retention`.
    public func keepHistory(_ policy: HistoryPolicy) {}

    /// What is told of the past has no values there. The cluster has them until it compacts its past: give the prefix to
    /// those only who may read them.
    public func withhold(_ keys: [SettingKey]) { recent.withLock { $0.withhold(keys) } }

    /// As ``withhold(_:)``, of what has been until now.
    public func forgetHistory(of key: SettingKey) { recent.withLock { $0.forget(key) } }

    /// The stream goes on beside the store's calls: who is told of a change by the history must find it in force.
    func holdBackUntold() {
        // Who does not watch never asks for the changes.
        let first = handler.withLock { $0 != nil } ? log.firstNews : nil
        recent.withLock { $0.firstUntold = first }
    }

    // MARK: Places

    /// Identifies the history of the settings under the prefix.
    private var history: UInt64 {
        var hash = ContentHash(seed: mirror.cluster)
        space.key("").withUnsafeBytes { hash.combine($0) }
        return hash.value
    }

    /// The past begins here, as far as it is known: everything was read.
    ///
    /// - Parameter hasDeletions: Whether something is known to be gone that was there. Where a tool without a marker has
    ///   deleted it, nothing that is there tells when: then the place is that of the read, so that followers look for what
    ///   came before it.
    func beginHistory(hasDeletions: Bool = false) {
        followed = mirror.revision
        landed = [:]
        let newest = mirror.newestRevision
        let reading = Reading(revision: mirror.revision, newest: newest, count: mirror.count)
        difference = hasDeletions ? reading : nil
        // Where nothing was ever stored, the past begins with what comes next.
        let isWritten = newest > 0 && !hasDeletions
        let beginning = isWritten ? newest : mirror.revision
        let token = beginning > 0 ? place(beginning, in: mirror) : nil
        unsure =
            isWritten && newest < mirror.revision
            ? UnsureBeginning(
                reading: reading, settings: mirror.settingCount, end: place(mirror.revision, in: mirror)) : nil
        recent.withLock { $0.begin(at: token) }
    }

    /// The past begins with the last thing that was written, but something may have been deleted after it.
    struct UnsureBeginning: Sendable {
        /// What was read.
        var reading: Reading
        /// How many settings there were. Nothing was written after the beginning, so they can only have become fewer.
        var settings: Int
        /// The place of the read.
        var end: ChangeToken
    }

    private func isUnsure(_ token: ChangeToken) -> Bool {
        unsure != nil && recent.withLock { $0.beginning } == token
    }

    /// Somebody goes on where the past begins: only what was there then tells whether anything was deleted since. What
    /// etcd has forgotten can't be told.
    private func makeSure(of token: ChangeToken) async throws(StorageError) {
        guard let unsure else { return }
        let start = Int64(clamping: token.position)
        let past = try await read(at: start)
        self.unsure = nil
        guard let past, past.settingCount != unsure.settings else { return }
        difference = unsure.reading
        recent.withLock { $0.moveBeginning(to: unsure.end) }
    }

    private func place(_ revision: Int64, in mirror: Mirror) -> ChangeToken {
        ChangeToken(
            history: history, position: UInt64(clamping: revision), checksum: mirror.checksum(at: revision))
    }

    /// What an update did, with its place.
    ///
    /// - Returns: `nil` for what is no transaction, such as a lock.
    func record(_ effect: Mirror.Effect, of update: Mirror.Update, by marker: Marker?) -> StoredRecord? {
        guard space.hasTransaction(update) else { return nil }
        let token = ChangeToken(
            history: history, position: UInt64(clamping: update.revision), checksum: space.checksum(of: update))
        return Self.record(effect, by: marker, at: token)
    }

    private static func record(_ effect: Mirror.Effect, by marker: Marker?, at token: ChangeToken) -> StoredRecord {
        let mutations = effect.values.keys.sorted().map { key in
            StoredMutation(key: key, oldValue: effect.replaced[key], newValue: effect.values[key] ?? nil)
        }
        let transaction = StoredTransaction(
            time: marker?.time ?? 0, author: TransactionAuthor(name: marker?.author),
            origin: marker == nil ? .external : .local, mutations: mutations)
        return StoredRecord(token: token, transactions: [transaction])
    }

    // MARK: Reading the past

    /// Reads what etcd has between two places.
    private func read(
        after token: ChangeToken, upTo end: ChangeToken, limit: Int
    ) async throws(StorageError) -> [StoredRecord]? {
        let start = Int64(clamping: token.position)
        guard var past = try await read(at: start), place(start, in: past) == token else { return nil }
        let (last, space) = (Int64(clamping: end.position), space)
        // Nothing may have happened at the place of a read: what it has shown tells when all of it has come.
        let reading = difference.flatMap { $0.revision == last ? $0 : nil } ?? Reading(revision: last)
        if reading.isReached(by: start, count: past.count) { return [] }
        let found = LockedValue((count: 0, copy: past))
        let outcome = await readPast(after: start) { updates in
            found.withLock { found in
                found.count += updates.count(where: space.hasTransaction)
                for update in updates { _ = found.copy.apply(update) }
                return found.count >= limit
                    || reading.isReached(by: updates.last?.revision ?? 0, count: found.copy.count)
            }
        }
        let updates: [Mirror.Update]
        switch outcome {
        case .found(let whole): updates = whole
        case .forgotten: return nil
        case .failed(let reason):
            throw StorageError(
                .unavailable,
                "What has changed under “\(space.prefix)” after revision \(start) can't be read: \(reason). Try again when the "
                    + "members answer.")
        }
        var records: [StoredRecord] = []
        let secrets = recent.withLock { $0.secrets }
        for update in updates where update.revision <= last {
            let effect = past.apply(update)
            past.advance(to: update.revision)
            guard space.hasTransaction(update), records.count < limit else { continue }
            let marker = update.puts.lazy.compactMap { [space] pair in space.marker(in: pair) }.first
            var record = Self.record(effect, by: marker, at: place(update.revision, in: past))
            record.transactions = record.transactions.map { $0.withholding(secrets) }
            records.append(record)
        }
        return records
    }

    /// - Returns: `nil` if etcd has forgotten the revision.
    private func read(at revision: Int64) async throws(StorageError) -> Mirror? {
        let (key, end) = space.range
        let answer: GatewayObject
        do throws(GatewayFailure) {
            answer = try await client.call(
                EtcdPath.range, RangeRequest(key: key, end: end, revision: revision).json, mayRepeat: true)
        } catch {
            guard error.kind != .refused(code: GatewayFailure.Code.outOfRange) else { return nil }
            throw storageError(error, "read")
        }
        var past = Mirror(space)
        past.replace(
            with: RangeAnswer(answer).pairs, header: GatewayHeader(cluster: mirror.cluster, revision: revision))
        return past
    }
}

extension KeySpace {
    func marker(in pair: GatewayPair) -> Marker? {
        guard let name = name(of: pair.key), case .marker = Self.kind(of: name) else { return nil }
        return Marker(pair.value)
    }

    /// Whether an update is more than a lock or a marker.
    func hasTransaction(_ update: Mirror.Update) -> Bool {
        (update.puts.map(\.key) + update.deletes).contains { key in
            name(of: key).map { name in if case .setting = Self.kind(of: name) { true } else { false } } ?? false
        }
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
            case .marker, .lock: false
            }
        }
    }

    /// Made of what was stored at a revision, if nothing has been stored over it.
    func checksum(at revision: Int64) -> UInt64 {
        Self.checksum(
            revision, entries.lazy.filter { $0.value.modRevision == revision }.map { ($0.key, $0.value.content) })
    }

    fileprivate static func checksum(_ revision: Int64, _ stored: some Sequence<(String, Content)>) -> UInt64 {
        var hash = ContentHash(seed: UInt64(clamping: revision))
        for (name, content) in stored.sorted(by: { $0.0 < $1.0 }) {
            guard let digest = content.digest else { continue }
            for bytes in [Array(name.utf8), digest] { bytes.withUnsafeBytes { hash.combine($0) } }
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
        case .setting(_, let value): (try? value.json()).map { [UInt8]($0) } ?? []
        case .unusable: []
        case .marker, .lock: nil
        }
    }
}

import Settle

/// A client's view of a cluster: the keys under the prefix, the changes that the store has not taken yet, and the
/// newest transactions. Pure: it receives the results of reads, writes and watches.
struct ClusterView: Sendable {
    /// Distinguishes this process's transactions from those of an earlier process of the machine.
    let session = UInt64.random(in: 1 ... .max)
    /// The name of the marker.
    var clientName = ClusterView.newName()
    private(set) var mirror: Mirror
    var log = ChangeLog() { didSet { holdBackUntold() } }
    /// Whether a store takes the changes.
    var isWatched = false { didSet { holdBackUntold() } }

    /// The newest transactions; see `ClusterView+History.swift`.
    var recent = RecentHistory()
    /// The revision up to which everything was followed, revision by revision. The mirror may be newer: own
    /// transactions, and reads that have shown no changes.
    private(set) var followed: Int64 = 0
    /// Own transactions that are not followed yet, by their revisions. Changes before them may still be unknown.
    private(set) var landed: [Int64: StoredRecord] = [:]
    /// The read with which the history begins, if it was taken over without tokens and with deletions.
    var difference: Reading?
    /// Set until the history after its first token has been requested.
    var unsure: UnsureBeginning?

    init(_ space: KeySpace) { mirror = Mirror(space) }

    static func newName() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    var space: KeySpace { mirror.space }

    var position: StoragePosition { StoragePosition(UInt64(clamping: mirror.revision)) }

    /// The newest revision that is known to exist: own transactions may be newer than everything that was followed.
    var reached: Int64 { max(mirror.revision, marker, mirror.entries[.head]?.modRevision ?? 0) }

    /// The revision of the client's marker.
    var marker: Int64 { mirror.marker(of: clientName).modRevision }

    /// The state that the cluster must still have after an interruption.
    var witness: Witness { mirror.witness(hasAllDeletions: landed.isEmpty) }

    /// The last batch that this process stored.
    var lastBatch: StorageBatch.ID? {
        let marker = mirror.marker(of: clientName).value
        return marker?.session == session ? marker?.batch : nil
    }

    /// Holds back unreported changes. The store takes its changes separately from the stream: a follower of the history
    /// must find the reported changes in force.
    private mutating func holdBackUntold() { recent.firstUntold = isWatched ? log.firstNews : nil }

    // MARK: Reads

    /// Takes over a read of everything.
    ///
    /// - Returns: The previous state; `nil` if the stream was faster, so that the read is out of date.
    mutating func replace(with range: RangeAnswer, _ header: GatewayHeader, since known: Int64) -> Mirror? {
        if header.cluster == mirror.cluster, mirror.revision > known, header.revision < mirror.revision { return nil }
        let old = mirror
        mirror.replace(with: range.pairs, header: header)
        beginHistory()
        return old
    }

    /// Takes over the contents of a local copy. Without the markers its token is not known.
    mutating func restore(_ pairs: [GatewayPair], _ header: GatewayHeader) {
        mirror.replace(with: pairs, header: header)
        beginFollowing()
        log.begin(at: mirror.revision)
        recent.begin(at: nil)
    }

    /// Adds the differences between a read of everything and the previous state to the log.
    mutating func logDifference(from old: Mirror) {
        let (marker, revision) = mirror.marker(of: clientName)
        let own = marker?.session == session ? revision : 0
        var (values, ownValues): ([SettingKey: SettingValue?], [SettingKey: SettingValue?]) = ([:], [:])
        for key in old.keys.union(mirror.keys) {
            let outer = mirror.outermost(around: key) ?? key
            let new = mirror.value(at: outer)
            guard new != old.value(at: outer) else { continue }
            if own > 0, mirror.entry(at: outer)?.modRevision == own {
                ownValues.updateValue(new, forKey: outer)
            } else {
                values.updateValue(new, forKey: outer)
            }
        }
        log.add(ChangeLog.Entry(revision: own, values: ownValues, isOwn: true, batch: marker?.batch))
        log.add(ChangeLog.Entry(revision: mirror.revision, values: values, isOwn: false))
        if values.values.contains(where: { $0 == nil }) { beginHistory(hasDeletions: true) }
    }

    /// Puts the cluster's values of some keys in force, whatever values the store started with.
    mutating func logValues(at keys: some Sequence<SettingKey>) {
        var values: [SettingKey: SettingValue?] = [:]
        for key in keys { values.updateValue(mirror.value(at: key), forKey: key) }
        log.add(ChangeLog.Entry(revision: mirror.revision, values: values, isOwn: false))
    }

    /// Takes over a read of changed keys if it has shown no changes.
    ///
    /// - Returns: The read; `nil` if everything in it is known.
    mutating func news(in range: RangeAnswer, at revision: Int64) -> Reading? {
        guard revision >= mirror.revision else { return nil }
        let newest = newestUnknown(in: range)
        if newest > 0 || range.count != mirror.count {
            return Reading(revision: revision, newest: newest, count: range.count)
        }
        mirror.advance(to: revision)
        return nil
    }

    /// Returns the revision of the newest change in a read that is not known; 0 if there is none.
    private func newestUnknown(in range: RangeAnswer) -> Int64 {
        range.pairs.lazy.filter { mirror.modRevision(of: $0.key) < $0.modRevision }.map(\.modRevision).max() ?? 0
    }

    /// Takes over a read of changed keys although the transactions that led to it are unknown: without tokens in the
    /// history.
    mutating func takeDifference(_ pairs: [GatewayPair], deleted: [[UInt8]], at revision: Int64) {
        let groups = Dictionary(grouping: pairs, by: \.modRevision).sorted { $0.key < $1.key }
        for (revision, pairs) in groups { apply(Mirror.Update(revision: revision, puts: pairs), isWhole: false) }
        if !deleted.isEmpty { apply(Mirror.Update(revision: revision, deletes: deleted), isWhole: false) }
        mirror.advance(to: revision)
        beginHistory(hasDeletions: !deleted.isEmpty)
    }

    /// Records that everything is known up to a revision.
    mutating func advance(to revision: Int64) { mirror.advance(to: revision) }

    // MARK: Updates

    /// Follows whole revisions, in order.
    ///
    /// - Returns: Whether others have changed a setting.
    @discardableResult
    mutating func follow(_ updates: [Mirror.Update]) -> Bool {
        var hasNews = false
        // Revisions that arrive again are known already.
        for update in updates where update.revision > followed {
            if let record = landed.removeValue(forKey: update.revision) {
                recent.add(record)
            } else {
                if let record = apply(update) { recent.add(record) }
                hasNews = hasNews || log.hasNews
            }
            followed = update.revision
            mirror.advance(to: update.revision)
        }
        return hasNews
    }

    /// Takes over the writes of a transaction of this client.
    ///
    /// - Parameter provesAll: Whether it has proved that nothing else was stored since the mirror's revision. Otherwise
    ///   a tool that moves no head may have stored something at other keys.
    mutating func didWrite(_ update: Mirror.Update, provesAll: Bool) {
        let revision = update.revision
        let isNext = revision == mirror.revision + 1
        let record = apply(update)
        if let record, revision > followed + 1 {
            // Something may have been deleted all the same.
            landed[revision] = record
            recent.expect(record.token)
        } else if revision == followed + 1 {
            followed = revision
            if let record { recent.add(record) }
        }
        if provesAll || isNext { mirror.advance(to: revision) }
    }

    /// Takes over the key of a lock if nothing else is new. Otherwise the first batch under the lock would find it, and
    /// need a second round trip.
    ///
    /// - Parameter news: The changes until the lock was taken, since the revision known when it was requested.
    mutating func didLock(_ own: GatewayPair, _ header: GatewayHeader, after news: RangeAnswer) {
        guard header.cluster == mirror.cluster, header.revision > mirror.revision, news.count == mirror.count,
            newestUnknown(in: news) == 0
        else { return }
        didWrite(Mirror.Update(revision: header.revision, puts: [own]), provesAll: true)
    }

    /// Applies the changes at a revision.
    ///
    /// - Returns: Their effect, for the history.
    @discardableResult
    private mutating func apply(_ update: Mirror.Update, isWhole: Bool = true) -> StoredRecord? {
        let ownKey = space.key(KeyName.marker(clientName))
        let own = update.puts.first { $0.key == ownKey }.flatMap(space.marker(in:))
        let isOwn = own?.session == session
        let effect = mirror.apply(update)
        let marker = update.puts.lazy.compactMap(space.marker(in:)).first
        let record = isWhole ? record(effect, of: update, by: marker) : nil
        log.add(
            ChangeLog.Entry(
                revision: update.revision, values: effect.values, author: marker?.author, token: record?.token,
                isOwn: isOwn, batch: isOwn ? own?.batch : nil, unusable: unusable(in: update)))
        return record
    }

    private func unusable(in update: Mirror.Update) -> StorageError? {
        for pair in update.puts {
            guard let name = space.name(of: pair.key), name.isSetting,
                case .unusable(let reason)? = mirror.entries[name]?.content
            else { continue }
            return space.unusable(name.text, because: reason)
        }
        return nil
    }

    /// Lets the next stream begin at the mirror: etcd has forgotten the revisions before it, and a read has shown that
    /// they have changed nothing that is not known.
    mutating func skipForgotten() {
        for (_, record) in landed.sorted(by: { $0.key < $1.key }) { recent.add(record) }
        beginFollowing()
    }

    /// Discards the state before a revision at which everything was read.
    mutating func beginFollowing() {
        followed = mirror.revision
        landed = [:]
    }
}

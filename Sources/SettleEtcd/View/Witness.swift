import Settle

/// What a client knew at one revision. With it, the client checks after an interruption that the cluster still has the
/// same history.
///
/// A snapshot can be restored under the identity of the cluster that it was taken from. Once the restored cluster has
/// written more than was lost, neither its identity nor its revision shows that. But a read as of the known revision,
/// from the newest change on, shows something else than before:
///
/// | the read | the history |
/// |---|---|
/// | the same contents at the newest change, nothing after it, the same number of keys | the same |
/// | other contents at the newest change | another one: what is known here was lost |
/// | the same contents there, but later changes, or another number of keys | one of which something was missed |
/// | refused: etcd has compacted the revision | not known; a read of everything shows whether a key has an earlier revision |
struct Witness: Sendable, Equatable {
    /// As of which revision.
    var revision: Int64
    /// When a key was changed last; 0 if there was none.
    var newest: Int64
    /// Made of what was stored then, with the markers: no two transactions of clients have the same.
    var checksum: UInt64
    /// How many keys there were; `nil` if deletions before own transactions may be unknown.
    var count: Int64?

    func request(in space: KeySpace) -> RangeRequest { space.all(at: revision, after: newest - 1) }

    func succession(in range: RangeAnswer, of space: KeySpace) -> Succession {
        let stored = range.pairs.filter { $0.modRevision == newest }
        let contents = stored.compactMap { pair in
            space.name(of: pair.key).map { ($0, Mirror.content($0, pair.value)) }
        }
        guard Mirror.wholeChecksum(contents) == checksum else { return .replaced }
        return stored.count == range.pairs.count && range.count == count ?? range.count ? .same : .incomplete
    }
}

/// How the history of a cluster continues what was known of it.
enum Succession: Int, Sendable, Comparable {
    /// By what has come after it.
    case same
    /// By something that had been stored already and was missed.
    case incomplete
    /// Not at all: what was known is lost, as after a snapshot was restored.
    case replaced

    static func < (left: Succession, right: Succession) -> Bool { left.rawValue < right.rawValue }
}

extension Mirror {
    /// - Parameter hasAllDeletions: Whether everything before the mirror's revision was followed.
    func witness(hasAllDeletions: Bool) -> Witness {
        let newest = entries.values.reduce(0) { max($0, $1.modRevision) }
        let stored = entries.lazy.filter { $0.value.modRevision == newest }.map { ($0.key, $0.value.content) }
        return Witness(
            revision: revision, newest: newest, checksum: Self.wholeChecksum(stored),
            count: hasAllDeletions ? count : nil)
    }

    /// Made of names and contents, with the markers, but without values that can't be read.
    fileprivate static func wholeChecksum(_ stored: some Sequence<(KeyName, Content)>) -> UInt64 {
        var hash = ContentHash(seed: 0)
        for (name, content) in stored.sorted(by: { $0.0 < $1.0 }) {
            for bytes in [name.bytes, content.bytes] { bytes.withUnsafeBytes { hash.combine($0) } }
        }
        return hash.value
    }

    /// The revision of each key.
    var revisions: [KeyName: Int64] { entries.mapValues(\.modRevision) }

    /// Whether this is a later state of what was known.
    ///
    /// - Parameters:
    ///   - known: The revisions of keys, at least of all settings.
    ///   - revision: As of when they were known.
    func succession(after known: [KeyName: Int64], upTo revision: Int64) -> Succession {
        var found = Succession.same
        for (name, entry) in entries where entry.modRevision <= revision {
            let before = known[name]
            if let before, entry.modRevision < before { return .replaced }
            if before == nil, !name.isSetting { continue }
            if entry.modRevision != before { found = .incomplete }
        }
        return found
    }
}

extension Mirror.Content {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .setting(_, let value): (try? value.jsonBytes()) ?? []
        // Without what another version of the library may add: a local copy outlives its program.
        case .marker(let marker): Marker(session: marker.session, batch: marker.batch).bytes
        case .lock, .nested, .unusable: []
        }
    }
}

// MARK: In the local copy

extension Witness {
    var entry: SettingValue {
        var entries: SettingValue.Entries = [
            "revision": .integer(revision), "newest": .integer(newest), "checksum": .gateway(checksum),
        ]
        if let count { entries["count"] = .integer(count) }
        return .dictionary(entries)
    }

    init(_ object: GatewayObject) {
        self.init(
            revision: object.signed("revision"), newest: object.signed("newest"), checksum: object.unsigned("checksum"),
            count: object.entries["count"].map { _ in object.signed("count") })
    }
}

import Settle

/// A client's knowledge at one revision. With it, the client checks after an interruption that the cluster still has
/// the same history.
///
/// A snapshot can be restored under the identity of the cluster from which it was taken. Once the restored cluster has
/// written more than was lost, neither its identity nor its revision shows that. But a read at the known revision, from
/// the newest change on, then returns something else:
///
/// | the read | the history |
/// |---|---|
/// | the same contents at the newest change, nothing after it, the same number of keys | the same |
/// | other contents at the newest change | another one: the known state was lost |
/// | the same contents there, but later changes, or another number of keys | the same, with a missed change |
/// | refused: etcd has compacted the revision | unknown; a read of everything shows whether a key has an earlier revision |
struct Witness: Sendable, Equatable {
    /// The revision.
    var revision: Int64
    /// The revision of the last change of a key; 0 if there was none.
    var newest: Int64
    /// A checksum of the values stored then, with the markers: no two transactions of clients have the same.
    var checksum: UInt64
    /// The number of keys; `nil` if deletions before own transactions may be unknown.
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

/// How a cluster's history continues the known one.
enum Succession: Int, Sendable, Comparable {
    /// By the changes after it.
    case same
    /// By a change that had been stored already and was missed.
    case incomplete
    /// Not at all: the known state is lost, as after a snapshot was restored.
    case replaced

    static func < (left: Succession, right: Succession) -> Bool { left.rawValue < right.rawValue }
}

extension Mirror {
    /// - Parameter hasAllDeletions: Whether everything before the mirror's revision was followed.
    func witness(hasAllDeletions: Bool) -> Witness {
        let newest = entries.values.reduce(0) { max($0, $1.modRevision) }
        let stored = entries.lazy.filter { $0.value.modRevision == newest }.map { ($0.key, $0.value.content) }
        // Own transactions may be newer than everything that is known.
        return Witness(
            revision: max(revision, newest), newest: newest, checksum: Self.wholeChecksum(stored),
            count: hasAllDeletions && newest <= revision ? count : nil)
    }

    /// Returns a checksum of names and contents, with the markers, but without values that can't be read.
    fileprivate static func wholeChecksum(_ stored: some Sequence<(KeyName, Content)>) -> UInt64 {
        var hash = ContentHash(seed: 0)
        for (name, content) in stored.sorted(by: { $0.0 < $1.0 }) {
            for bytes in [name.bytes, content.bytes] { bytes.withUnsafeBytes { hash.combine($0) } }
        }
        return hash.value
    }

    /// The revision of each key.
    var revisions: [KeyName: Int64] { entries.mapValues(\.modRevision) }

    /// Returns whether this is a later state of the known one.
    ///
    /// - Parameters:
    ///   - known: The revisions of keys, at least of all settings whose values can be used.
    ///   - revision: The revision at which they were known.
    func succession(after known: [KeyName: Int64], upTo revision: Int64) -> Succession {
        var found = Succession.same
        for (name, entry) in entries {
            let before = known[name]
            // Own transactions may be newer than the revision.
            if let before, entry.modRevision < before { return .replaced }
            let isSetting = if case .setting = entry.content { true } else { false }
            guard entry.modRevision <= revision, before != nil || isSetting else { continue }
            if entry.modRevision != before { found = .incomplete }
        }
        return found
    }
}

extension Mirror.Content {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .setting(_, let value), .schema(let value): (try? value.jsonBytes()) ?? []
        // Without fields that another version of the library may add: a local copy outlives its program.
        case .marker(let marker): Marker(session: marker.session, batch: marker.batch).bytes
        case .lock, .head, .nested, .unusable: []
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

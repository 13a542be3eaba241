import Settle

/// A machine's local copy of a cluster's state.
///
///     client      names this machine's marker in the cluster
///     cluster     whose values these are: the cluster's identity, the prefix, and the revision
///     witness     shows whether the cluster still has the history of these values
///     values      the last known value of each setting, with the revision at which it was stored
///     pending     plain writes that are not known to be in the cluster, oldest first
///     lost        plain writes that were given up
struct LocalContents: Sendable, Equatable {
    struct Value: Sendable, Equatable {
        var value: SettingValue
        var revision: Int64
    }

    var client: String?
    var cluster: UInt64 = 0
    var space: KeySpace?
    var revision: Int64 = 0
    var witness: Witness?
    var values: [KeyName: Value] = [:]
    var pending: [PendingTransaction] = []
    var lost: [EtcdLostTransaction] = []

    init() {}

    var header: GatewayHeader { GatewayHeader(cluster: cluster, revision: revision) }

    /// Whether the cluster was ever read.
    var hasValues: Bool { cluster != 0 }

    /// A write that can't be read, because a newer program or an edit has given it another form. It must not be lost.
    struct UnreadableWrite: Error {
        /// Its place in the copy, such as `pending[0]`.
        var name: String
    }

    init(_ tree: SettingTree) throws(UnreadableWrite) {
        let object = GatewayObject(tree.root)
        client = object.name("client")
        if let found = object.object("cluster") {
            cluster = found.unsigned("id")
            space = found.name("prefix").map(KeySpace.init)
            revision = found.signed("revision")
        }
        witness = object.object("witness").map(Witness.init)
        for (name, value) in object.object("values")?.entries ?? [:] {
            guard case .dictionary(let entries) = value, let inner = entries["value"] else { continue }
            values[KeyName(name)] = Value(value: inner, revision: GatewayObject(entries).signed("revision"))
        }
        pending = try Self.writes("pending", in: tree, PendingTransaction.init)
        lost = try Self.writes("lost", in: tree, EtcdLostTransaction.init)
    }

    private static func writes<Write>(
        _ name: String, in tree: SettingTree, _ read: (SettingValue) -> Write?
    ) throws(UnreadableWrite) -> [Write] {
        guard let value = tree.root[name] else { return [] }
        guard case .array(let entries) = value else { throw UnreadableWrite(name: name) }
        var writes: [Write] = []
        for (index, entry) in entries.enumerated() {
            guard let write = read(entry) else { throw UnreadableWrite(name: "\(name)[\(index)]") }
            writes.append(write)
        }
        return writes
    }

    /// Returns the writes that turn another state into this one.
    func changes(from other: LocalContents) -> [SettingKey: SettingValue?] {
        var changes: [SettingKey: SettingValue?] = [:]
        if client != other.client { changes.updateValue(client.map { .string($0) }, forKey: "client") }
        if cluster != other.cluster || space != other.space || revision != other.revision {
            changes["cluster"] = .dictionary([
                "id": .string(String(cluster)), "prefix": .string(space?.prefix ?? ""), "revision": .integer(revision),
            ])
        }
        if witness != other.witness { changes.updateValue(witness?.entry, forKey: "witness") }
        for (name, value) in values where other.values[name] != value {
            changes[.path("values", name.text)] = .dictionary([
                "value": value.value, "revision": .integer(value.revision),
            ])
        }
        for name in other.values.keys where values[name] == nil {
            changes.updateValue(nil, forKey: .path("values", name.text))
        }
        if pending != other.pending {
            changes.updateValue(pending.isEmpty ? nil : .array(pending.map(\.entry)), forKey: "pending")
        }
        if lost != other.lost {
            changes.updateValue(lost.isEmpty ? nil : .array(lost.map(\.entry)), forKey: "lost")
        }
        return changes
    }
}

extension LocalContents {
    /// Returns the last known values as a range of the cluster would contain them.
    func pairs(in space: KeySpace) -> [GatewayPair] {
        values.compactMap { name, value in
            guard let bytes = try? value.value.jsonBytes() else { return nil }
            return GatewayPair(
                key: space.key(name), value: bytes, createRevision: value.revision, modRevision: value.revision)
        }
    }

    /// Returns the reason that pending writes here must not overwrite a cluster's values: they are for another prefix,
    /// another cluster, or another history of this one, as before a backup was restored. The witness may show that
    /// where the values do not.
    func difference(from mirror: Mirror) -> String? {
        guard hasValues else { return nil }
        if space != mirror.space { return "it was written for the settings under “\(space?.prefix ?? "")”" }
        // Own transactions of the last process may be newer than everything that it knew.
        let isOther = cluster != mirror.cluster || max(revision, witness?.revision ?? 0) > mirror.revision
        let succession = mirror.succession(after: values.mapValues(\.revision), upTo: revision)
        return isOther || succession != .same ? Self.isOfOtherCluster : nil
    }

    static let isOfOtherCluster = "it was based on another cluster, or on another history of this one"

    /// Takes over the known state of the cluster.
    ///
    /// - Parameter witness: `nil` if only these values are known: then the witness stays.
    mutating func take(_ mirror: Mirror, _ witness: Witness?) {
        if let witness { self.witness = witness }
        cluster = mirror.cluster
        space = mirror.space
        revision = mirror.revision
        values = [:]
        for (name, entry) in mirror.entries {
            if case .setting(_, let value) = entry.content {
                values[name] = Value(value: value, revision: entry.modRevision)
            }
        }
    }
}

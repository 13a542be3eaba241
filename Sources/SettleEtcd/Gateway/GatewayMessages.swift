import Settle

/// What every answer says of the cluster.
struct GatewayHeader: Equatable {
    var cluster: UInt64
    var revision: Int64

    init(cluster: UInt64, revision: Int64) {
        self.cluster = cluster
        self.revision = revision
    }

    init(_ object: GatewayObject?) {
        self.init(cluster: object?.unsigned("cluster_id") ?? 0, revision: object?.signed("revision") ?? 0)
    }
}

/// A key with its value.
struct GatewayPair: Equatable {
    var key: [UInt8]
    var value: [UInt8]
    var createRevision: Int64
    var modRevision: Int64
}

extension GatewayPair {
    init(_ object: GatewayObject) {
        self.init(
            key: object.bytes("key"), value: object.bytes("value"), createRevision: object.signed("create_revision"),
            modRevision: object.signed("mod_revision"))
    }
}

/// Asks for keys.
struct RangeRequest: Equatable {
    var key: [UInt8]
    /// The first key behind the range; `nil` for a single key.
    var end: [UInt8]?
    /// As of which revision; 0 for now.
    var revision: Int64 = 0
    /// Only keys that have changed since.
    var minModRevision: Int64 = 0
    var keysOnly = false

    var json: SettingValue {
        var entries: SettingValue.Entries = ["key": .gateway(key)]
        if let end { entries["range_end"] = .gateway(end) }
        if revision > 0 { entries["revision"] = .gateway(revision) }
        if minModRevision > 0 { entries["min_mod_revision"] = .gateway(minModRevision) }
        if keysOnly { entries["keys_only"] = .bool(true) }
        return .dictionary(entries)
    }
}

/// Keys that were asked for.
struct RangeAnswer: Equatable {
    var pairs: [GatewayPair]
    /// How many keys the range has, with those that were not asked for.
    var count: Int64

    init(pairs: [GatewayPair], count: Int64) {
        self.pairs = pairs
        self.count = count
    }

    init(_ object: GatewayObject) {
        self.init(pairs: object.objects("kvs").map(GatewayPair.init), count: object.signed("count"))
    }
}

/// What must hold for a transaction.
struct Comparison: Equatable {
    enum Target: Equatable {
        /// The key, or each key of the range, was last changed at this revision; 0 if there is none.
        case modified(at: Int64)
        /// Nothing in the range was changed at this revision or later.
        case unmodified(since: Int64)
        /// The key was made at this revision; 0 if there is none.
        case created(at: Int64)
    }

    var key: [UInt8]
    var end: [UInt8]?
    var target: Target

    var json: SettingValue {
        var entries: SettingValue.Entries = ["key": .gateway(key)]
        if let end { entries["range_end"] = .gateway(end) }
        switch target {
        case .modified(at: let revision):
            entries["target"] = .string("MOD")
            entries["result"] = .string("EQUAL")
            entries["mod_revision"] = .gateway(revision)
        case .unmodified(since: let revision):
            entries["target"] = .string("MOD")
            entries["result"] = .string("LESS")
            entries["mod_revision"] = .gateway(revision)
        case .created(at: let revision):
            entries["target"] = .string("CREATE")
            entries["result"] = .string("EQUAL")
            entries["create_revision"] = .gateway(revision)
        }
        return .dictionary(entries)
    }
}

/// A part of a transaction.
enum Operation: Equatable {
    case put(key: [UInt8], value: [UInt8], lease: Int64 = 0)
    case delete(key: [UInt8], end: [UInt8]? = nil)
    case range(RangeRequest)

    var json: SettingValue {
        switch self {
        case .put(let key, let value, let lease):
            var entries: SettingValue.Entries = ["key": .gateway(key), "value": .gateway(value)]
            if lease != 0 { entries["lease"] = .gateway(lease) }
            return .dictionary(["request_put": .dictionary(entries)])
        case .delete(let key, let end):
            var entries: SettingValue.Entries = ["key": .gateway(key)]
            if let end { entries["range_end"] = .gateway(end) }
            return .dictionary(["request_delete_range": .dictionary(entries)])
        case .range(let request): return .dictionary(["request_range": request.json])
        }
    }

    /// How many bytes it takes of what a request may have.
    var size: Int {
        switch self {
        case .put(let key, let value, _): key.count + value.count + 32
        case .delete(let key, let end): key.count + (end?.count ?? 0) + 32
        case .range: 128
        }
    }
}

/// All of some operations, or all of others.
struct TransactionRequest: Equatable {
    var comparisons: [Comparison] = []
    var success: [Operation] = []
    var failure: [Operation] = []

    var json: SettingValue {
        .dictionary([
            "compare": .array(comparisons.map(\.json)), "success": .array(success.map(\.json)),
            "failure": .array(failure.map(\.json)),
        ])
    }

    var size: Int {
        comparisons.reduce(0) { $0 + $1.key.count + ($1.end?.count ?? 0) + 32 }
            + (success + failure).reduce(0) { $0 + $1.size }
    }
}

/// What has become of a transaction.
struct TransactionAnswer: Equatable {
    var header: GatewayHeader
    /// Whether all comparisons held.
    var succeeded: Bool
    /// What its ranges have found, in their order.
    var ranges: [RangeAnswer]

    init(_ object: GatewayObject) {
        header = GatewayHeader(object.object("header"))
        succeeded = object.bool("succeeded")
        ranges = object.objects("responses").compactMap { $0.object("response_range").map(RangeAnswer.init) }
    }
}

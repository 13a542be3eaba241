import Settle

/// The cluster information in every answer.
struct GatewayHeader: Equatable {
    var cluster: UInt64
    var revision: Int64
}

extension GatewayHeader {
    init(_ object: GatewayObject?) {
        self.init(cluster: object?.unsigned("cluster_id") ?? 0, revision: object?.signed("revision") ?? 0)
    }

    /// Returns whether this is another cluster than the known one, or an earlier state of it.
    func isOther(than known: GatewayHeader) -> Bool {
        (known.cluster != 0 && cluster != known.cluster) || revision < known.revision
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

/// A request for keys.
struct RangeRequest: Equatable {
    var key: [UInt8]
    /// The first key after the range; `nil` for a single key.
    var end: [UInt8]?
    /// The revision to read at; 0 for the current one.
    var revision: Int64 = 0
    /// Restricts the answer to keys that have changed since.
    var minModRevision: Int64 = 0
    var keysOnly = false
    /// The maximum number of keys; 0 for all.
    var limit: Int64 = 0

    var json: [UInt8] { GatewayWriter.object(write) }

    func write(to writer: inout GatewayWriter) {
        writer.field("key", key)
        if keysOnly { writer.flag("keys_only") }
        if limit > 0 { writer.field("limit", limit) }
        if minModRevision > 0 { writer.field("min_mod_revision", minModRevision) }
        if let end { writer.field("range_end", end) }
        if revision > 0 { writer.field("revision", revision) }
    }
}

/// The keys that were requested.
struct RangeAnswer: Equatable {
    var pairs: [GatewayPair]
    /// The number of keys in the range, including those that were not requested.
    var count: Int64
}

extension RangeAnswer {
    init(_ object: GatewayObject) {
        self.init(pairs: object.objects("kvs").map(GatewayPair.init), count: object.signed("count"))
    }
}

/// A condition of a transaction.
struct Comparison: Equatable {
    enum Target: Equatable {
        /// The key, or each key of the range, was last changed at this revision; 0 if there is no such key.
        case modified(at: Int64)
        /// Nothing in the range was changed at this revision or later.
        case unmodified(since: Int64)
        /// The key was created at this revision; 0 if there is no such key.
        case created(at: Int64)
    }

    var key: [UInt8]
    var end: [UInt8]?
    var target: Target

    func write(to writer: inout GatewayWriter) {
        if case .created(at: let revision) = target { writer.field("create_revision", revision) }
        writer.field("key", key)
        let (result, column): (StaticString, StaticString)
        switch target {
        case .modified(at: let revision):
            writer.field("mod_revision", revision)
            (result, column) = ("EQUAL", "MOD")
        case .unmodified(since: let revision):
            writer.field("mod_revision", revision)
            (result, column) = ("LESS", "MOD")
        case .created: (result, column) = ("EQUAL", "CREATE")
        }
        if let end { writer.field("range_end", end) }
        writer.field("result", word: result)
        writer.field("target", word: column)
    }
}

/// A part of a transaction.
enum Operation: Equatable {
    case put(key: [UInt8], value: [UInt8], lease: Int64 = 0)
    case delete(key: [UInt8], end: [UInt8]? = nil)
    case range(RangeRequest)

    func write(to writer: inout GatewayWriter) {
        switch self {
        case .put(let key, let value, let lease):
            writer.object("request_put") { writer in
                writer.field("key", key)
                if lease != 0 { writer.field("lease", lease) }
                writer.field("value", value)
            }
        case .delete(let key, let end):
            writer.object("request_delete_range") { writer in
                writer.field("key", key)
                if let end { writer.field("range_end", end) }
            }
        case .range(let request): writer.object("request_range", request.write)
        }
    }

    /// The number of bytes that it takes of a request's limit.
    var size: Int {
        switch self {
        case .put(let key, let value, _): key.count + value.count + 32
        case .delete(let key, let end): key.count + (end?.count ?? 0) + 32
        case .range: 128
        }
    }
}

/// Operations to run if all comparisons hold, and others to run otherwise.
struct TransactionRequest: Equatable {
    var comparisons: [Comparison] = []
    var success: [Operation] = []
    var failure: [Operation] = []

    var json: [UInt8] {
        GatewayWriter.object { writer in
            writer.objects("compare", comparisons) { writer, comparison in writer.object(comparison.write) }
            writer.objects("failure", failure) { writer, operation in writer.object(operation.write) }
            writer.objects("success", success) { writer, operation in writer.object(operation.write) }
        }
    }

    var size: Int {
        comparisons.reduce(0) { $0 + $1.key.count + ($1.end?.count ?? 0) + 32 }
            + (success + failure).reduce(0) { $0 + $1.size }
    }
}

/// The outcome of a transaction.
struct TransactionAnswer: Equatable {
    var header: GatewayHeader
    /// Whether all comparisons held.
    var succeeded: Bool
    /// The results of its ranges, in order.
    var ranges: [RangeAnswer]

    init(_ object: GatewayObject) {
        header = GatewayHeader(object.object("header"))
        succeeded = object.bool("succeeded")
        ranges = object.objects("responses").compactMap { $0.object("response_range").map(RangeAnswer.init) }
    }
}

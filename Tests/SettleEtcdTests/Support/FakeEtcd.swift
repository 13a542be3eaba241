import Foundation
import Settle
import Synchronization

@testable import SettleEtcd

/// A cluster in memory that speaks as etcd's gateway does: revisions, ranges, transactions, watches, leases and users.
final class FakeEtcd: Sendable {
    typealias Bytes = [UInt8]

    struct Value: Equatable {
        var bytes: Bytes
        var created: Int64
        var modified: Int64
        var version: Int64
        var lease: Int64
    }

    struct Event {
        var key: Bytes
        /// `nil` if the key was deleted.
        var value: Value?
    }

    struct Failure: Error {
        var code: Int64
        var status: Int
        var message: String
    }

    struct Watcher {
        var key: Bytes
        var end: Bytes?
        /// The next revision to bring.
        var next: Int64
        var send: @Sendable (SettingValue) -> Void
    }

    struct State {
        var cluster: UInt64 = 14_841_639_068_965_178_418
        var revision: Int64 = 1
        var compacted: Int64 = 0
        var values: [Bytes: Value] = [:]
        /// What there was when it was compacted.
        var base: [Bytes: Value] = [:]
        /// What happened at each revision.
        var events: [Int64: [Event]] = [:]
        /// The same, with what was forgotten, for the tests.
        var allEvents: [Int64: [Event]] = [:]
        /// The times to live of the leases.
        var leases: [Int64: Int64] = [:]
        var lastLease: Int64 = 7_587_000_000_000_000_000
        var watchers: [Int: Watcher] = [:]
        var lastWatcher = 0
        /// The user's password; `nil` if anybody is let in.
        var password: String?
        var tokens: Set<String> = []
        var lastToken = 0
        /// How often a password was checked.
        var authentications = 0
        var transactions = 0
        /// Keys that the user may not write.
        var forbidden: String?
        /// Why a watch with a token that is not known is canceled.
        var watchRefusal = "rpc error: code = PermissionDenied desc = etcdserver: invalid auth token"
        /// Whether the database is full. The transaction that finds it so lands all the same.
        var isFull = false
        var hasAlarm = false
    }

    let state = Mutex(State())

    /// - Returns: The answer, or an error as etcd gives it.
    func answer(_ path: String, _ body: Bytes, token: String?) -> (status: Int, body: SettingValue) {
        state.withLock { state in
            do throws(Failure) {
                guard let request = GatewayObject(body) else { throw Failure(code: 3, status: 400, message: "no JSON") }
                return (200, .dictionary(try state.answer(path, request, token: token)))
            } catch {
                return (
                    error.status,
                    .dictionary([
                        "error": .string(error.message), "message": .string(error.message),
                        "code": .integer(error.code),
                    ])
                )
            }
        }
    }

    // MARK: From outside

    /// Stores something as another tool would.
    @discardableResult
    func put(_ key: String, _ value: String) -> Int64 { put(Array(key.utf8), value) }

    @discardableResult
    func put(_ key: Bytes, _ value: String) -> Int64 {
        state.withLock { state in
            state.write { state, revision in state.put(key, Array(value.utf8), 0, revision) }
            return state.revision
        }
    }

    func delete(_ key: String) {
        state.withLock { state in
            state.write { state, revision in state.delete(Array(key.utf8), nil, revision) }
        }
    }

    /// Forgets what happened before a revision.
    func compact(at revision: Int64? = nil) {
        state.withLock { state in
            let revision = revision ?? state.revision
            state.base = state.values(at: revision)
            state.compacted = revision
            for old in state.events.keys where old <= state.compacted { state.events[old] = nil }
        }
    }

    /// What a lease has ends with it.
    func expire(_ lease: Int64? = nil) {
        state.withLock { state in
            for id in lease.map({ [$0] }) ?? Array(state.leases.keys) { state.revoke(id) }
        }
    }

    func endTokens() { state.withLock { $0.tokens = [] } }

    /// The text at a key.
    func text(_ key: String) -> String? {
        state.withLock { $0.values[Array(key.utf8)].map { String(decoding: $0.bytes, as: UTF8.self) } }
    }

    func keys(_ prefix: String) -> [String] {
        state.withLock { $0.values.keys.map { String(decoding: $0, as: UTF8.self) } }.filter { $0.hasPrefix(prefix) }
            .sorted()
    }

    var revision: Int64 { state.withLock { $0.revision } }

    /// An earlier state takes the place of this one, or a new cluster does.
    func restore(_ other: FakeEtcd, isNew: Bool = false) {
        let old = other.state.withLock { $0 }
        state.withLock { state in
            (state.values, state.revision, state.compacted) = (old.values, old.revision, old.compacted)
            (state.events, state.allEvents, state.base) = (old.events, old.allEvents, old.base)
            if isNew { state.cluster += 1 }
            state.hasAlarm = false
            state.watchers = [:]
        }
    }

    func copy() -> FakeEtcd {
        let new = FakeEtcd()
        new.restore(self)
        return new
    }
}

// MARK: Answers

extension FakeEtcd.State {
    var header: SettingValue {
        .dictionary([
            "cluster_id": .gateway(cluster), "member_id": .gateway(10_276_657_743_932_975_437 as UInt64),
            "revision": .gateway(revision), "raft_term": .gateway(2),
        ])
    }

    fileprivate mutating func answer(
        _ path: String, _ request: GatewayObject, token: String?
    ) throws(FakeEtcd.Failure) -> SettingValue.Entries {
        if path == EtcdPath.authenticate { return try authenticate(request) }
        if password != nil, !tokens.contains(token ?? "") {
            throw FakeEtcd.Failure(code: 16, status: 401, message: "etcdserver: invalid auth token")
        }
        switch path {
        case EtcdPath.range:
            var answer = try range(request)
            answer["header"] = header
            return answer
        case EtcdPath.transaction: return try transaction(request)
        case EtcdPath.grantLease:
            lastLease += 1
            leases[lastLease] = request.signed("TTL")
            return ["header": header, "ID": .gateway(lastLease), "TTL": .gateway(request.signed("TTL"))]
        case EtcdPath.keepLeaseAlive:
            var result: SettingValue.Entries = ["header": header, "ID": .gateway(request.signed("ID"))]
            if let ttl = leases[request.signed("ID")] { result["TTL"] = .gateway(ttl) }
            return ["result": .dictionary(result)]
        case EtcdPath.revokeLease:
            guard leases[request.signed("ID")] != nil else {
                throw FakeEtcd.Failure(code: 5, status: 404, message: "etcdserver: requested lease not found")
            }
            revoke(request.signed("ID"))
            return ["header": header]
        default: throw FakeEtcd.Failure(code: 5, status: 404, message: "Not Found")
        }
    }

    private mutating func authenticate(_ request: GatewayObject) throws(FakeEtcd.Failure) -> SettingValue.Entries {
        authentications += 1
        guard request.text("password") == password else {
            throw FakeEtcd.Failure(
                code: 3, status: 400, message: "etcdserver: authentication failed, invalid user ID or password")
        }
        lastToken += 1
        tokens.insert("token\(lastToken)")
        return ["header": header, "token": .string("token\(lastToken)")]
    }

    private func range(_ request: GatewayObject) throws(FakeEtcd.Failure) -> SettingValue.Entries {
        let (key, end) = (request.bytes("key"), request.entries["range_end"].map { _ in request.bytes("range_end") })
        var values = values
        let asked = request.signed("revision")
        if asked > revision {
            throw FakeEtcd.Failure(
                code: 11, status: 400, message: "etcdserver: mvcc: required revision is a future revision")
        }
        if asked > 0, asked < revision {
            guard asked >= compacted else {
                throw FakeEtcd.Failure(
                    code: 11, status: 400, message: "etcdserver: mvcc: required revision has been compacted")
            }
            values = self.values(at: asked)
        }
        let found = values.filter { Self.isWithin($0.key, key, end) }
        let least = request.signed("min_mod_revision")
        let pairs = found.filter { $0.value.modified >= least }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var answer: SettingValue.Entries = [:]
        if !pairs.isEmpty {
            answer["kvs"] = .array(pairs.map { Self.pair($0.key, $0.value, keysOnly: request.bool("keys_only")) })
        }
        if !found.isEmpty { answer["count"] = .gateway(found.count) }
        return answer
    }

    fileprivate func values(at asked: Int64) -> [FakeEtcd.Bytes: FakeEtcd.Value] {
        var values = base
        for revision in compacted...asked {
            for event in events[revision] ?? [] { values[event.key] = event.value }
        }
        return values
    }

    private mutating func transaction(_ request: GatewayObject) throws(FakeEtcd.Failure) -> SettingValue.Entries {
        let (success, failure) = (request.objects("success"), request.objects("failure"))
        guard max(request.objects("compare").count, success.count, failure.count) <= 128 else {
            throw FakeEtcd.Failure(code: 3, status: 400, message: "etcdserver: too many operations in txn request")
        }
        try Self.checkDuplicates(success)
        if let forbidden {
            for operation in success {
                let key = operation.object("request_put")?.bytes("key") ?? []
                guard !String(decoding: key, as: UTF8.self).hasPrefix(forbidden) else {
                    throw FakeEtcd.Failure(code: 7, status: 403, message: "etcdserver: permission denied")
                }
            }
        }
        let holds = request.objects("compare").allSatisfy(holds)
        let noSpace = FakeEtcd.Failure(code: 8, status: 429, message: "etcdserver: mvcc: database space exceeded")
        if hasAlarm { throw noSpace }
        var responses: [SettingValue] = []
        var thrown: FakeEtcd.Failure?
        transactions += 1
        write { state, revision in
            for operation in holds ? success : failure {
                if let put = operation.object("request_put") {
                    state.put(put.bytes("key"), put.bytes("value"), put.signed("lease"), revision)
                    responses.append(.dictionary(["response_put": .dictionary(["header": state.header])]))
                } else if let delete = operation.object("request_delete_range") {
                    let end = delete.entries["range_end"].map { _ in delete.bytes("range_end") }
                    state.delete(delete.bytes("key"), end, revision)
                    responses.append(.dictionary(["response_delete_range": .dictionary([:])]))
                } else if let range = operation.object("request_range") {
                    do throws(FakeEtcd.Failure) {
                        responses.append(.dictionary(["response_range": .dictionary(try state.range(range))]))
                    } catch {
                        thrown = error
                    }
                }
            }
        }
        if let thrown { throw thrown }
        if isFull {
            hasAlarm = true
            throw noSpace
        }
        var answer: SettingValue.Entries = ["header": header, "responses": .array(responses)]
        if holds { answer["succeeded"] = .bool(true) }
        return answer
    }

    private func holds(_ compare: GatewayObject) -> Bool {
        let end = compare.entries["range_end"].map { _ in compare.bytes("range_end") }
        let found = values.filter { Self.isWithin($0.key, compare.bytes("key"), end) }.map(\.value)
        let isCreate = compare.text("target") == "CREATE"
        let wanted = compare.signed(isCreate ? "create_revision" : "mod_revision")
        let numbers = found.isEmpty ? [0] : found.map { isCreate ? $0.created : $0.modified }
        return numbers.allSatisfy { compare.text("result") == "LESS" ? $0 < wanted : $0 == wanted }
    }

    /// A key may be written once in a transaction.
    private static func checkDuplicates(_ operations: [GatewayObject]) throws(FakeEtcd.Failure) {
        let puts = operations.compactMap { $0.object("request_put")?.bytes("key") }
        let deletes = operations.compactMap { $0.object("request_delete_range") }
        let overlap = deletes.contains { delete in
            let end = delete.entries["range_end"].map { _ in delete.bytes("range_end") }
            return puts.contains { isWithin($0, delete.bytes("key"), end) }
        }
        guard Set(puts).count == puts.count, !overlap else {
            throw FakeEtcd.Failure(code: 3, status: 400, message: "etcdserver: duplicate key given in txn request")
        }
    }

    static func isWithin(_ key: FakeEtcd.Bytes, _ first: FakeEtcd.Bytes, _ end: FakeEtcd.Bytes?) -> Bool {
        guard let end else { return key == first }
        return !key.lexicographicallyPrecedes(first) && key.lexicographicallyPrecedes(end)
    }

    static func pair(_ key: FakeEtcd.Bytes, _ value: FakeEtcd.Value, keysOnly: Bool = false) -> SettingValue {
        var entries: SettingValue.Entries = [
            "key": .gateway(key), "create_revision": .gateway(value.created), "mod_revision": .gateway(value.modified),
            "version": .gateway(value.version),
        ]
        if !keysOnly, !value.bytes.isEmpty { entries["value"] = .gateway(value.bytes) }
        if value.lease != 0 { entries["lease"] = .gateway(value.lease) }
        return .dictionary(entries)
    }
}

// MARK: Writing

extension FakeEtcd.State {
    /// All writes of one revision. None makes no revision.
    fileprivate mutating func write(_ body: (inout FakeEtcd.State, Int64) -> Void) {
        let next = revision + 1
        body(&self, next)
        guard events[next] != nil else { return }
        revision = next
        allEvents[next] = events[next]
        notify()
    }

    fileprivate mutating func put(_ key: FakeEtcd.Bytes, _ bytes: FakeEtcd.Bytes, _ lease: Int64, _ revision: Int64) {
        let old = values[key]
        let value = FakeEtcd.Value(
            bytes: bytes, created: old?.created ?? revision, modified: revision, version: (old?.version ?? 0) + 1,
            lease: lease)
        values[key] = value
        events[revision, default: []].append(FakeEtcd.Event(key: key, value: value))
    }

    fileprivate mutating func delete(_ key: FakeEtcd.Bytes, _ end: FakeEtcd.Bytes?, _ revision: Int64) {
        for found in values.keys.filter({ Self.isWithin($0, key, end) }) {
            values[found] = nil
            events[revision, default: []].append(FakeEtcd.Event(key: found, value: nil))
        }
    }

    fileprivate mutating func revoke(_ lease: Int64) {
        leases[lease] = nil
        let keys = values.filter { $0.value.lease == lease }.map(\.key)
        write { state, revision in for key in keys { state.delete(key, nil, revision) } }
    }
}

extension SettingValue {
    /// Bytes as the gateway spells them.
    static func gateway(_ bytes: some Sequence<UInt8>) -> SettingValue {
        .string(Data(bytes).base64EncodedString())
    }
}

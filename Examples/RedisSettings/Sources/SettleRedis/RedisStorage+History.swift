import Foundation
public import Settle
import Synchronization

/// How much of the history is kept, for all who share the server.
struct RedisPolicy: Codable, Sendable, Equatable {
    var transactions = 0
    var seconds: Int64 = 0
    var secrets: [String] = []

    /// What the server has: the appends of a storage that knows another policy are refused.
    private(set) var text = ""

    private enum CodingKeys: CodingKey { case transactions, seconds, secrets }

    init() {}

    init(_ text: String) throws {
        if !text.isEmpty { self = try JSONDecoder().decode(RedisPolicy.self, from: Data(text.utf8)) }
        self.text = text
    }

    var withheld: Set<SettingKey> { Set(secrets.compactMap { SettingKey($0) }) }

    /// What a batch is in the history.
    func record(of batch: StorageBatch) -> [StoredTransaction] {
        let sum = StoredTransaction(
            time: Date().timeIntervalSinceReferenceDate, author: TransactionAuthor(name: batch.author), origin: .local,
            count: max(1, batch.transactionCount), mutations: nil)
        return (batch.transactions.isEmpty ? [sum] : batch.transactions).map { $0.withholding(withheld) }
    }
}

extension RedisStorage {
    public var token: ChangeToken? { state.withLock { ChangeToken($0.newest) } }

    public var keepsHistory: Bool { state.withLock { $0.policy.transactions > 0 } }

    public func keepHistory(_ policy: HistoryPolicy) async throws(StorageError) {
        try await changePolicy { ($0.transactions, $0.seconds) = (policy.transactions, policy.age.seconds) }
    }

    public func withheldKeys() async throws(StorageError) -> Set<SettingKey> {
        try await changePolicy { _ in }.withheld
    }

    public func withhold(_ keys: [SettingKey]) async throws(StorageError) {
        let secrets = Set(keys)
        // From here on nobody adds values of theirs.
        try await changePolicy { $0.secrets = $0.withheld.union(secrets).map(\.description).sorted() }
        try await rewrite { $0.withholding(secrets) }
    }

    public func forgetHistory(of key: SettingKey) async throws(StorageError) {
        try await rewrite { $0.forgetting(key) }
    }

    public func records(after token: ChangeToken, limit: Int) async throws(StorageError) -> [StoredRecord]? {
        try checkLoaded()
        let command = ["\(token.position)", "+inf", "LIMIT", "0", "\(limit + 1)"]
        let records = try await history("ZRANGEBYSCORE", command)
        guard let first = records.first else {
            let newest = try await call(["GET", key("newest")]).text
            return newest.flatMap { ChangeToken($0) } == token ? [] : nil
        }
        if first.token == token { return Array(records.dropFirst()) }
        return first.rest(after: token).map { [$0] + records.dropFirst().prefix(limit - 1) }
    }

    public func records(before token: ChangeToken?, limit: Int) async throws(StorageError) -> [StoredRecord] {
        try checkLoaded()
        let policy = state.withLock { $0.policy }
        if let token, let newest = self.token, token.history != newest.history {
            throw StorageError(.conflict, "\(name) has another history.")
        }
        guard policy.transactions > 0 else { return [] }
        let start = token.map { "(\($0.position)" } ?? "+inf"
        var records = try await history("ZREVRANGEBYSCORE", [start, "-inf", "LIMIT", "0", "\(limit)"])
        if let token,
            let around = try await history("ZRANGEBYSCORE", ["\(token.position)", "+inf", "LIMIT", "0", "1"]).first
        {
            let earlier = around.entries.filter { $0.token.position < token.position }
            if let last = earlier.last {
                records.insert(StoredRecord(token: last.token, transactions: earlier.map(\.transaction)), at: 0)
            }
        }
        let oldest = Date().timeIntervalSinceReferenceDate - Double(policy.seconds)
        return Array(records.prefix { $0.transactions.contains { $0.time >= oldest } }.prefix(limit))
    }

    private func history(_ command: String, _ range: [String]) async throws(StorageError) -> [StoredRecord] {
        let entries = try await call([command, key("history")] + range).texts
        return try decode {
            try entries.map { entry in
                let (token, json) = try Self.split(entry)
                return StoredRecord(
                    token: token, transactions: try JSONDecoder().decode([StoredTransaction].self, from: json))
            }
        }
    }

    private func call(_ command: [String]) async throws(StorageError) -> RedisReply {
        do { return try await client.call(command) } catch { throw unavailable(error) }
    }

    /// Changes the policy that the server has, no matter which client has set it.
    @discardableResult
    private func changePolicy(_ change: (inout RedisPolicy) -> Void) async throws(StorageError) -> RedisPolicy {
        while true {
            let text = try await call(["GET", key("policy")]).text ?? ""
            var policy = try decode { try RedisPolicy(text) }
            change(&policy)
            if policy != (try decode { try RedisPolicy(text) }) {
                let new = try decode { try Self.text(policy) }
                let isKept = policy.transactions > 0 ? "kept" : "none"
                let reply = try await run(.setPolicy, keys: [key("policy"), key("history")], [text, new, isKept])
                guard reply.integer == 1 else { continue }
                policy = try decode { try RedisPolicy(new) }
            }
            state.withLock { $0.policy = policy }
            return policy
        }
    }

    private func rewrite(_ change: (StoredTransaction) -> StoredTransaction) async throws(StorageError) {
        let entries = try await call(["ZRANGE", key("history"), "0", "-1"]).texts
        let pairs = try decode {
            try entries.flatMap { entry in
                let (token, json) = try Self.split(entry)
                let old = try JSONDecoder().decode([StoredTransaction].self, from: json)
                let new = old.map(change)
                return new == old ? [] : [entry, "\(token) \(try Self.text(new))"]
            }
        }
        if !pairs.isEmpty { _ = try await run(.rewrite, keys: [key("history")], pairs) }
    }
}

import Dispatch
import Foundation
public import Settle
import Synchronization

/// Keeps settings in a Redis server, which programs on many machines share.
///
/// The server has a log of the newest batches, and a snapshot of all values before them; see the README. A commit is
/// stored on the condition that nobody has stored anything since it has read, so there is no lock for transactions.
public final class RedisStorage: HistoryStorage {
    public let limits: StorageLimits

    let client: RedisClient
    let state = Mutex(State())
    private let prefix: String
    private let leaseTime: Duration
    private let logLength: Int
    /// Tells its own messages from those of others.
    private let writer = UUID().uuidString

    struct State {
        var isLoaded = false
        var isClosed = false
        /// The position up to which everything has been returned, and the newest one that is known.
        var (seen, newest) = (beginning, beginning)
        /// The stores that have appended something here: one, and another one if it was migrated before it was opened.
        var stores: Set<UInt64> = []
        /// How often something was sent to be stored.
        var calls = 0
        /// Batches of unknown outcome.
        var unknown: Set<StorageBatch.ID> = []
        var policy = RedisPolicy()
        var leases: Set<StorageLease> = []
        var subscription: RedisConnection?
    }

    /// The position before the first batch.
    static let beginning = "0"
    /// For how many seconds the last batch of a store is recognised: it is repeated within a minute, unless its process
    /// is stopped meanwhile.
    private static let remembered = 30 * 86_400

    /// - Parameters:
    ///   - server: Where the server is.
    ///   - prefix: Begins the names of all keys in the server.
    ///   - time: How long a call may take.
    ///   - leaseTime: How long a named lock outlives a machine that has gone.
    ///   - logLength: How many batches the log has at least for storages that are behind. Those that are further behind
    ///     read everything.
    public init(
        _ server: RedisServer, prefix: String, time: Duration = .seconds(5), leaseTime: Duration = .seconds(10),
        logLength: Int = 1_000
    ) {
        (self.prefix, self.leaseTime, self.logLength) = (prefix, leaseTime, logLength)
        limits = StorageLimits(time: time)
        client = RedisClient(server, patience: time / 2)
    }

    /// The name of a key. All of them are in the same slot of a cluster.
    func key(_ name: String) -> String { "{\(prefix)}:\(name)" }

    // MARK: Loading

    public func load() async throws(StorageError) -> StorageContents {
        state.withLock { $0.isLoaded = false }
        let contents = try await read()
        state.withLock { $0.isLoaded = true }
        return contents
    }

    /// Everything, which the store is given.
    private func read() async throws(StorageError) -> StorageContents {
        let (contents, policy) = try await snapshot()
        state.withLock { state in
            (state.seen, state.newest) = (contents.position.description, contents.position.description)
            state.policy = policy
        }
        return contents
    }

    /// Everything as it is. If the log has become long, a new snapshot takes the place of the one before.
    private func snapshot() async throws(StorageError) -> (StorageContents, RedisPolicy) {
        let keys = [key("newest"), key("snapshot"), key("log"), key("policy")]
        let reply = try await run(.load, keys: keys, []).list ?? []
        guard reply.count == 5, let entries = reply[3].list else { throw unreadable("an answer of another form") }
        let newest = reply[0].text ?? Self.beginning
        var contents = StorageContents(outcome: newest == Self.beginning ? .absent : .intact)
        contents.tree = try decode {
            let bytes = reply[2].text.flatMap { Data(base64Encoded: $0) }
            var tree = try bytes.map { try SettingTree(bytes: $0) } ?? SettingTree()
            for entry in entries.compactMap(\.text) { tree.apply(try Self.batch(entry).values) }
            return tree
        }
        (contents.position, contents.token) = (StoragePosition(newest), ChangeToken(newest))
        if entries.count > logLength {
            let bytes = Data(contents.tree.bytes).base64EncodedString()
            // If that fails, it is done after a later read.
            _ = try? await client.run(
                .compact, keys: [key("snapshot"), key("log")], [newest, bytes, "\(logLength)"])
        }
        return (contents, try decode { try RedisPolicy(reply[4].text ?? "") })
    }

    // MARK: Appending

    public func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        try checkLoaded()
        if batch.values.isEmpty { return try await verify(batch.conditions, durability) }
        for case (let key, let value?) in batch.values { try check(value, at: key) }
        while true {
            let reply: [RedisReply]
            do {
                reply = try await client.run(.append, keys: keys(for: batch), arguments(for: batch)).list ?? []
            } catch let failure as RedisFailure {
                if !failure.isRefused { state.withLock { _ = $0.unknown.insert(batch.id) } }
                throw unavailable(failure, isOutcomeUnknown: !failure.isRefused)
            } catch {
                throw StorageError(.unsupportedValue, "The batch can't be encoded: \(error)")
            }
            if let receipt = try stored(batch, reply, durability) {
                if let count = reply.last?.integer, count > 2 * logLength { _ = try? await snapshot() }
                return receipt
            }
        }
    }

    /// Checks the conditions of a batch that stores nothing: what was read must be the newest.
    private func verify(
        _ conditions: [StorageBatch.Condition], _ durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        for case .at(let position) in conditions {
            let newest: String
            do {
                newest = try await client.run(.newest, keys: [key("newest")], []).text ?? "0"
            } catch {
                throw unavailable(error)
            }
            guard newest == position.description else {
                throw StorageError(.conflict, "Others have changed \(name). Nothing was stored.")
            }
        }
        return receipt(state.withLock { $0.seen }, durability)
    }

    /// - Returns: `nil` if the batch has to be sent again.
    private func stored(
        _ batch: StorageBatch, _ reply: [RedisReply], _ durability: StorageDurability
    ) throws(StorageError) -> StorageReceipt? {
        let texts = reply.map { $0.text ?? "" }
        switch texts.first {
        case "stored" where texts.count == 5:
            state.withLock { state in
                state.unknown.remove(batch.id)
                if state.seen == texts[1] { state.seen = texts[2] }
                state.newest = texts[3]
            }
            return receipt(texts[2], durability)
        case "policy" where texts.count == 2:
            let policy = try decode { try RedisPolicy(texts[1]) }
            state.withLock { $0.policy = policy }
            return nil
        case "conflict": throw StorageError(.conflict, "Others have changed \(name). Nothing was stored.")
        case "leaseLost": throw StorageError(.leaseLost, "The lock \(texts[1]) of \(name) is not held any more.")
        case "migrated":
            throw StorageError(
                .migrated,
                "The settings in \(name) have been migrated with the step “\(texts[1])”, which this program does not know."
            )
        // Another one that was sent at the same time was faster.
        case "late": return nil
        default:
            throw StorageError(.writeFailed, "\(name) has given an answer of another form.", isOutcomeUnknown: true)
        }
    }

    private func receipt(_ position: String, _ durability: StorageDurability) -> StorageReceipt {
        StorageReceipt(
            position: StoragePosition(position), durability: .synced,
            hasExternalChanges: state.withLock { $0.seen != $0.newest }, token: ChangeToken(position))
    }

    private func keys(for batch: StorageBatch) -> [String] {
        ["newest", "log", "history", "steps", "policy", "store:\(batch.id.store)"].map(key) + batch.leases.map(lockKey)
    }

    /// What the script compares, the entry of the log, the record of the history, and the number of the batch.
    private func arguments(for batch: StorageBatch) throws -> [String] {
        let (policy, call) = state.withLock { state in
            state.stores.insert(batch.id.store)
            state.calls += 1
            return (state.policy, state.calls)
        }
        var request = AppendRequest(batch, writer: writer, call: call, remembered: Self.remembered)
        // Redis needs an integer, and Lua writes very large numbers with an exponent.
        (request.policy, request.limit) = (policy.text, min(policy.transactions, 1 << 31))
        var entry = StoredBatch(batch)
        entry.transactions = []
        let record = try policy.transactions == 0 ? "" : Self.text(policy.record(of: batch))
        return [try Self.text(request), try Self.text(entry), record, "\(batch.id.number)"]
    }

    // MARK: Changes of others

    public func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        try checkLoaded()
        let reply =
            try await run(
                .changes, keys: [key("newest"), key("snapshot"), key("log")], [position.description]
            ).list ?? []
        guard reply.count == 2, let newest = reply[0].text else { throw unreadable("an answer of another form") }
        guard let entries = reply[1].list?.compactMap(\.text) else {
            // The log does not go back so far, or the server has lost what it had: everything is new.
            let all = try await read()
            return StorageChanges([ExternalChange(.everything(all.tree), token: all.token)], position: all.position)
        }
        let log = try decode { try entries.map(Self.batch) }
        return state.withLock { state in
            (state.seen, state.newest) = (newest, newest)
            let changes = log.externalChanges(unknown: state.unknown) { state.stores.contains($0.id.store) }
            return StorageChanges(changes, position: StoragePosition(newest))
        }
    }

    public func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {
        Thread.detachNewThread { [self] in
            var isUnavailable = false
            while true {
                var isSubscribed = false
                do throws(RedisFailure) {
                    let connection = try client.connect()
                    let isClosed = state.withLock { state in
                        state.subscription = connection
                        return state.isClosed
                    }
                    if isClosed { return }
                    // On the same connection, which closing the storage cuts.
                    let issue = try durabilityIssue(by: connection)
                    _ = try connection.call(["SUBSCRIBE", key("newest")])
                    isSubscribed = true
                    if isUnavailable { handle(.available) }
                    isUnavailable = false
                    if let issue { handle(.issue(issue)) }
                    // What has come before the subscription.
                    handle(.mayHaveChanged)
                    while true { if try connection.message().texts.last != writer { handle(.mayHaveChanged) } }
                } catch {
                    if state.withLock({ $0.isClosed }) { return }
                    // The end of a subscription says nothing about the next one.
                    if !isSubscribed {
                        if !isUnavailable { handle(.unavailable(unavailable(error))) }
                        isUnavailable = true
                    }
                    Thread.sleep(forTimeInterval: 0.25)
                }
            }
        }
    }

    /// Why what the server has acknowledged may be lost with it; `nil` if it is not, or does not say.
    private func durabilityIssue(by connection: RedisConnection) throws(RedisFailure) -> StorageError? {
        let texts: [String]
        do {
            texts = try connection.call(["CONFIG", "GET", "append*"]).texts
        } catch {
            // A server may not allow the command.
            guard error.isRefused else { throw error }
            return nil
        }
        let isSafe = [["appendonly", "yes"], ["appendfsync", "always"]].allSatisfy { texts.firstRange(of: $0) != nil }
        return isSafe || texts.isEmpty
            ? nil
            : StorageError(
                .writeFailed, "\(name) may lose the last changes: it lacks appendonly yes and appendfsync always.")
    }

    // MARK: Named locks

    public func lockForTransaction() -> StorageLease? { nil }

    public func tryLock(named name: String) async throws(StorageError) -> StorageLease? {
        try checkLoaded()
        let reply = try await run(.lock, keys: [key("lock:\(name)"), key("fence"), key("newest")], [milliseconds])
        guard let list = reply.list, let fence = list.first?.integer, let position = list.last?.text else { return nil }
        guard let number = UInt64(exactly: fence), number > 0 else {
            throw unreadable("the fencing number \(fence) is not positive")
        }
        let lease = StorageLease(
            name: name, fencingNumber: number, position: StoragePosition(position), timeToLive: leaseTime)
        state.withLock { _ = $0.leases.insert(lease) }
        return lease
    }

    public func renew(_ lease: StorageLease) async throws(StorageError) -> StorageLease {
        let reply = try await run(.renew, keys: [lockKey(lease)], ["\(lease.fencingNumber)", milliseconds])
        if reply.integer == 1 { return lease }
        throw StorageError(.leaseLost, "The lock “\(lease.name ?? "")” of \(name) is not held any more.")
    }

    public func unlock(_ lease: StorageLease) async {
        state.withLock { _ = $0.leases.remove(lease) }
        // In a task of its own: others wait for the lock, even if the task of its holder is cancelled.
        let release = Task {
            _ = try? await client.run(.unlock, keys: [lockKey(lease)], ["\(lease.fencingNumber)"])
        }
        // If the server can't be reached, or doesn't answer, the lease ends by its time.
        let limit = DispatchWorkItem { release.cancel() }
        let nanoseconds = Int(leaseTime / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: limit)
        await release.value
        limit.cancel()
    }

    private var milliseconds: String {
        "\(leaseTime.components.seconds * 1_000 + leaseTime.components.attoseconds / 1_000_000_000_000_000)"
    }

    private func lockKey(_ lease: StorageLease) -> String { key("lock:\(lease.name ?? "")") }

    // MARK: Closing

    public func close() async {
        for lease in state.withLock({ $0.leases }) { await unlock(lease) }
        let subscription = state.withLock { state in
            state.isClosed = true
            return state.subscription
        }
        subscription?.cut()
        client.close()
    }
}

import Foundation
import Settle
import Synchronization

/// What goes to the server, and what comes from it.
extension RedisStorage {
    /// The name of the storage in errors.
    var name: String { "Redis at \(client.server.host):\(client.server.port)" }

    func checkLoaded() throws(StorageError) {
        try state.withLock { (state) throws(StorageError) in
            if state.isClosed { throw StorageError(.closed, "The storage has been closed.") }
            if !state.isLoaded { throw unreadable("it has not been loaded") }
        }
    }

    /// Runs a script that stores no values.
    func run(_ script: RedisScript, keys: [String], _ arguments: [String]) async throws(StorageError) -> RedisReply {
        if state.withLock({ $0.isClosed }) { throw StorageError(.closed, "The storage has been closed.") }
        do {
            return try await client.run(script, keys: keys, arguments)
        } catch {
            throw unavailable(error)
        }
    }

    func decode<Value>(_ body: () throws -> Value) throws(StorageError) -> Value {
        do { return try body() } catch { throw unreadable("\(error)") }
    }

    func unreadable(_ reason: String) -> StorageError {
        StorageError(.unreadable, "The settings in \(name) can't be used: \(reason).")
    }

    func unavailable(_ failure: RedisFailure, isOutcomeUnknown: Bool = false) -> StorageError {
        StorageError(.unavailable, "\(name): \(failure.description)", isOutcomeUnknown: isOutcomeUnknown)
    }

    /// An entry of the log: its token, a space, and the batch.
    static func batch(_ entry: String) throws -> StoredBatch {
        let (token, json) = try split(entry)
        var batch = try JSONDecoder().decode(StoredBatch.self, from: json)
        batch.token = token
        return batch
    }

    static func split(_ entry: String) throws -> (ChangeToken, Data) {
        let parts = entry.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let token = ChangeToken(String(parts[0])) else {
            throw StorageError(.unreadable, "“\(entry.prefix(80))” is no entry of a log")
        }
        return (token, Data(parts[1].utf8))
    }

    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}

/// What the script for an append compares and stores, besides the batch itself.
struct AppendRequest: Encodable {
    let count: UInt64
    let writer: String
    let call: Int
    let remembered: Int
    let origin: String
    let checksum: String
    let at: String?
    let leases: [String]
    let known: [String]?
    let steps: [String]?
    var policy = ""
    var limit = 0

    init(_ batch: StorageBatch, writer: String, call: Int, remembered: Int) {
        (self.writer, self.call, self.remembered) = (writer, call, remembered)
        count = max(1, batch.transactionCount)
        let numbers = ChangeToken(history: .random(in: 1 ... .max), position: 0, checksum: .random(in: .min ... .max))
        let parts = numbers.description.split(separator: "-")
        (origin, checksum) = (String(parts[0]), String(parts[2]))
        var (at, known): (String?, [String]?)
        for condition in batch.conditions {
            switch condition {
            case .at(let position): at = position.description
            case .migrated(let names): known = names
            case .under: break
            }
        }
        (self.at, self.known) = (at, known)
        leases = batch.leases.map { "\($0.fencingNumber)" }
        steps = batch.recordedSteps
    }
}

extension StorageBatch {
    /// The leases under which it is stored. All of them have to be held.
    var leases: [StorageLease] {
        conditions.compactMap { if case .under(let lease) = $0 { lease } else { nil } }
    }

    /// The migrations that are recorded once the batch is stored; `nil` if it does not change that.
    var recordedSteps: [String]? {
        var record: SettingValue?
        if let value = values["$settle.migrations"] {
            record = value
        } else if let value = values["$settle"] {
            if case .dictionary(let entries)? = value { record = entries["migrations"] }
        } else {
            return nil
        }
        guard case .array(let names)? = record else { return [] }
        return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}

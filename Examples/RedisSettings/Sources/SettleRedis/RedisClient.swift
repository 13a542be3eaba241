import Dispatch
import Synchronization

/// Calls a server through as many connections as calls are under way: a lease is renewed while an append waits.
final class RedisClient: Sendable {
    let server: RedisServer
    /// How long to wait for a connection.
    private let patience: Duration
    private let idle = Mutex<[RedisConnection]?>([])

    init(_ server: RedisServer, patience: Duration) {
        (self.server, self.patience) = (server, patience)
    }

    /// Runs a script, and waits until the answer is there, the connection has ended, or the task is cancelled.
    func run(_ script: RedisScript, keys: [String], _ arguments: [String]) async throws(RedisFailure) -> RedisReply {
        try await call(["EVAL", script.text, "\(keys.count)"] + keys + arguments)
    }

    func call(_ command: [String]) async throws(RedisFailure) -> RedisReply {
        let connection: RedisConnection
        if let idle = popIdle() {
            connection = idle
        } else {
            connection = try await Self.blocking { () throws(RedisFailure) in try self.connect() }.get()
        }
        if Task.isCancelled { throw RedisFailure(description: "The call was cancelled.", isRefused: true) }
        let result: Result<RedisReply, RedisFailure> = await withTaskCancellationHandler {
            await Self.blocking { () throws(RedisFailure) in try connection.call(command) }
        } onCancel: {
            connection.cut()
        }
        // One whose call has failed may get the answer later, which would be taken for that of the next call.
        if case .failure(let failure) = result, !failure.isRefused { throw failure }
        if !Task.isCancelled { idle.withLock { $0?.append(connection) } }
        return try result.get()
    }

    func connect() throws(RedisFailure) -> RedisConnection { try RedisConnection(server, within: patience) }

    /// Returns an idle connection that the server has not closed in the meantime.
    private func popIdle() -> RedisConnection? {
        while let connection = idle.withLock({ $0?.popLast() }) { if connection.isQuiet { return connection } }
        return nil
    }

    /// Runs what blocks its thread on a thread of its own. Otherwise a server that does not answer would also hold up
    /// the caller's queue, and with it the deadlines of all named locks.
    private static func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws(RedisFailure) -> Value
    ) async -> Result<Value, RedisFailure> {
        await withCheckedContinuation { continuation in
            // A queue without a target gets a thread at once. The global ones share those of Swift's tasks.
            DispatchQueue(label: "SettleRedis.call").async {
                continuation.resume(returning: Result { () throws(RedisFailure) in try body() })
            }
        }
    }

    /// Closes the idle connections.
    func close() { idle.withLock { $0 = nil } }
}

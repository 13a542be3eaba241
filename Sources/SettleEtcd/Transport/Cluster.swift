import Settle

/// The calls of a cluster that concern the keys under a prefix.
struct Cluster: Sendable {
    let client: EtcdClient
    let space: KeySpace
    let time: TimeSource
    /// The time limit of one call.
    let deadline: Duration

    /// Reads keys, with an error that reports the outcome of the call.
    func range(
        _ request: RangeRequest
    ) async throws(GatewayFailure) -> (header: GatewayHeader, range: RangeAnswer) {
        let answer = try await client.call(EtcdPath.range, request.json, mayRepeat: true)
        return (GatewayHeader(answer.object("header")), RangeAnswer(answer))
    }

    /// Reads keys.
    func read(_ request: RangeRequest) async throws(StorageError) -> (header: GatewayHeader, range: RangeAnswer) {
        try await run("read") { () throws(GatewayFailure) in try await range(request) }
    }

    /// Makes calls, and describes a failure in a sentence.
    ///
    /// - Parameter act: The verb for the settings in that sentence, such as "read".
    func run<Value>(
        _ act: String, _ calls: () async throws(GatewayFailure) -> Value
    ) async throws(StorageError) -> Value {
        do throws(GatewayFailure) {
            return try await calls()
        } catch {
            throw space.error(error, act)
        }
    }

    /// Reads all keys as of a revision.
    ///
    /// - Returns: `nil` if etcd has forgotten the revision.
    func state(at revision: Int64, of cluster: UInt64) async throws(StorageError) -> Mirror? {
        var state = Mirror(space)
        do throws(GatewayFailure) {
            let (_, range) = try await range(space.all(at: revision))
            state.replace(with: range.pairs, header: GatewayHeader(cluster: cluster, revision: revision))
        } catch {
            guard error.kind != .refused(code: GatewayFailure.Code.outOfRange) else { return nil }
            throw space.error(error, "read")
        }
        return state
    }

    /// - Parameter mayRepeat: Whether running the transaction twice is harmless.
    func transact(
        _ request: TransactionRequest, mayRepeat: Bool = true
    ) async throws(GatewayFailure) -> TransactionAnswer {
        TransactionAnswer(try await client.call(EtcdPath.transaction, request.json, mayRepeat: mayRepeat))
    }
}

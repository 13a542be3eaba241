import Settle

/// Leases, which end keys.
extension Cluster {
    /// - Returns: The lease, and its duration in seconds.
    func grantLease(seconds: Int64) async throws(GatewayFailure) -> (lease: Int64, seconds: Int64) {
        let body = GatewayWriter.object { $0.field("TTL", seconds) }
        let granted = try await client.call(EtcdPath.grantLease, body, mayRepeat: true)
        return (granted.signed("ID"), granted.signed("TTL"))
    }

    /// - Returns: The remaining seconds of the lease; 0 if it has ended.
    func keepAlive(_ lease: Int64) async throws(GatewayFailure) -> Int64 {
        let body = GatewayWriter.object { $0.field("ID", lease) }
        let answer = try await client.call(EtcdPath.keepLeaseAlive, body, mayRepeat: true)
        // An ended lease has no time to live. That is not an error.
        return answer.object("result")?.signed("TTL") ?? 0
    }

    /// Ends a lease, and with it its keys, even if the task is cancelled. If the call fails, the lease ends with its
    /// time.
    func revoke(_ lease: Int64) async {
        let body = GatewayWriter.object { $0.field("ID", lease) }
        await Task { [client] in _ = try? await client.call(EtcdPath.revokeLease, body, mayRepeat: true) }.value
    }
}

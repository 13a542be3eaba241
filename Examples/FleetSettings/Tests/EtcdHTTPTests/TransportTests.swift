import EtcdHTTP
import FleetMachines
import SettleEtcd
import Testing

/// What a transport says of a request that has failed: whether it may have arrived.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TransportTests {
    private func error(of endpoint: String) async throws -> EtcdTransportError? {
        try await withTransport { transport in
            await #expect(throws: EtcdTransportError.self) {
                let body = "{" + String(repeating: " ", count: 1_000) + "}"
                _ = try await transport.call(
                    EtcdRequest(endpoint: endpoint, path: "/v3/kv/range", body: Array(body.utf8)))
            }
        }
    }

    /// Nobody listens there, no machine can be there, and there is no such name.
    @Test(
        "Without a connection nothing was sent",
        arguments: ["http://127.0.0.1:1", "http://255.255.255.255:1", "http://nowhere.invalid:1", "nonsense"])
    func withoutConnection(_ endpoint: String) async throws {
        #expect(try await error(of: endpoint)?.isSurelyUnsent == true)
    }

    @Test(
        "Without encryption nothing was sent",
        .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
    func withoutEncryption() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        let endpoint = cluster.endpoints[0].replacing("http://", with: "https://")
        #expect(try await error(of: endpoint)?.isSurelyUnsent == true)
    }

    @Test(
        "Once there is a connection it may have arrived",
        .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
    func brokenConnection() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        try await CuttingProxy.run(to: cluster.endpoints) { proxy in
            for (part, place) in [(CuttingProxy.Part.request, 600), (.answer, 0), (.answer, 200)] {
                proxy.cut("/v3/kv/range", part, after: place)
                let error = try await error(of: proxy.endpoint)
                #expect(error?.isSurelyUnsent == false)
            }
        }
    }
}

import EtcdHTTP
import FleetMachines
import Settle
import SettleEtcd
import Testing

/// A store that knows a member by a single address, behind which is a proxy.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
struct ProxyTests {
    private typealias Counter = RealClusterTests.Counter

    private func withStore(
        closingAfter idleLimit: Duration? = nil,
        _ body: (SettingsStore, Counter, CuttingProxy, BareEtcd) async throws -> Void
    ) async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        try await withTransport { transport in
            try await CuttingProxy.run(to: cluster.endpoints, closingAfter: idleLimit) { proxy in
                var configuration = EtcdConfiguration(endpoints: [proxy.endpoint], prefix: "/fleet/proxy/")
                configuration.reconnectDelay = .milliseconds(1)...Duration.milliseconds(2)
                let store = try await SettingsStore.open(storage: EtcdStorage(configuration, transport: transport))
                let bare = BareEtcd(transport, endpoints: cluster.endpoints, prefix: "/fleet/proxy/")
                try await body(store, store.group(Counter.self), proxy, bare)
                try await store.close()
            }
        }
    }

    @Test("A store commits and follows through a proxy that closes idle connections")
    func idleConnections() async throws {
        try await withStore(closingAfter: .milliseconds(20)) { _, settings, proxy, bare in
            for round in 1...5 {
                try await settings.commit { settings.count = round }
                // That of the commit, that of the stream, and those that have replaced it.
                let count = proxy.idleCount + 3
                let areClosed = await MonotonicTime.wait(atMost: .seconds(30)) { proxy.idleCount >= count }
                #expect(areClosed)
                try await bare.put("text", "\"\(round)\"")
                for await text in settings.$text where text == "\(round)" { break }
            }
            let stored = try await bare.value(at: "count")
            #expect(stored == "5")
        }
    }

    @Test("A commit reads what others have stored while its stream is held back, and the stream brings it later")
    func heldStream() async throws {
        try await withStore { store, settings, proxy, bare in
            try await settings.commit { settings.count = 1 }
            var changes = store.history.changes(after: store.history.token).makeAsyncIterator()
            for round in 2...4 {
                proxy.hold("/v3/watch", for: .milliseconds(200))
                try await bare.put("count", "\(round)")
                let read = try await settings.commit { settings.count }
                #expect(read == round)
                let change = try #require(await changes.next())
                #expect(change.missed == .nothing)
                #expect(change.mutations.compactMap { $0.newValue as? Int } == [round])
            }
        }
    }
}

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

    private struct Scene {
        let cluster: RealCluster
        let proxy: CuttingProxy
        let store: SettingsStore
        let settings: Counter
        /// Goes past the proxy.
        let bare: BareEtcd
    }

    private func withScene(
        closingAfter idleLimit: Duration? = nil, _ body: (Scene) async throws -> Void
    ) async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        try await withTransport { transport in
            try await CuttingProxy.run(to: cluster.endpoints, closingAfter: idleLimit) { proxy in
                var configuration = EtcdConfiguration(endpoints: [proxy.endpoint], prefix: "/fleet/proxy/")
                configuration.reconnectDelay = .milliseconds(1)...Duration.milliseconds(2)
                let store = try await SettingsStore.open(storage: EtcdStorage(configuration, transport: transport))
                try await body(
                    Scene(
                        cluster: cluster, proxy: proxy, store: store, settings: store.group(Counter.self),
                        bare: BareEtcd(transport, endpoints: cluster.endpoints, prefix: "/fleet/proxy/")))
                try await store.close()
            }
        }
    }

    @Test("A store commits and follows through a proxy that closes idle connections")
    func idleConnections() async throws {
        try await withScene(closingAfter: .milliseconds(200)) { scene in
            let (settings, proxy, bare) = (scene.settings, scene.proxy, scene.bare)
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
        try await withScene { scene in
            let (settings, history) = (scene.settings, scene.store.history)
            try await settings.commit { settings.count = 1 }
            var changes = history.changes(after: history.token).makeAsyncIterator()
            for round in 2...4 {
                scene.proxy.hold("/v3/watch", for: .milliseconds(200))
                try await scene.bare.put("count", "\(round)")
                let read = try await settings.commit { settings.count }
                #expect(read == round)
                let change = try #require(await changes.next())
                #expect(change.missed == .nothing)
                #expect(change.mutations.compactMap { $0.newValue as? Int } == [round])
            }
        }
    }

    @Test(
        "A store that was away while a snapshot was restored reads everything again, also if there are more revisions",
        arguments: [false, true])
    func restoredSnapshot(isBumped: Bool) async throws {
        try await withScene { scene in
            let settings = scene.settings
            try await settings.commit { settings.count = 1 }
            let snapshot = try scene.cluster.saveSnapshot()
            try await settings.commit {
                settings.count = 2
                settings.text = "lost"
            }
            scene.proxy.shut()
            try scene.cluster.restore(snapshot)
            try await scene.cluster.ready()
            // More revisions than the lost commit had made.
            for _ in 0..<(isBumped ? 10 : 0) { try scene.cluster.control("put", "elsewhere", "1") }
            scene.proxy.shut(false)
            for await count in settings.$count where count == 1 { break }
            for await text in settings.$text where text == "" { break }
            try await settings.commit { settings.count += 4 }
            let stored = try scene.cluster.control("get", "/fleet/proxy/count", "--print-value-only")
            #expect(stored == "5\n")
        }
    }
}

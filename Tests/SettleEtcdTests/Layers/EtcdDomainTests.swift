import Settle
import SettleTestSupport
import SettleTesting
import Testing

@testable import SettleEtcd

/// Settings of a machine, of a group and of the fleet, as the domains of one store.
@Suite(.timeLimit(.minutes(10))) struct EtcdDomainTests {
    private struct Limits: SettingsGroup {
        @Setting(in: 0...1_000) var requests = 100
        @Setting var burst = 10
    }

    private let fixture = EtcdFixture()

    private func opened(
        host: FakeTransport? = nil, localCopy: (any Storage)? = nil
    ) async throws -> (SettingsStore, Limits) {
        let fleet = fixture.configuration()
        let store = try await SettingsStore.open(
            storage: fixture.client().storage,
            searching: [
                .etcd(
                    "host", fleet.forHost("web-1"), transport: host ?? FakeTransport(fixture.cluster),
                    localCopy: localCopy),
                .etcd("canary", fleet.forGroup("canary"), transport: FakeTransport(fixture.cluster)),
                .application,
            ], configuration: .init(clock: fixture.clock))
        return (store, try await store.group(Limits.self))
    }

    /// Stores values as a program that is opened on the prefix of a domain.
    private func store(
        in prefix: String, by author: String? = nil, _ change: @escaping @Sendable (Limits) -> Void
    ) async throws {
        let (storage, _) = fixture.client { $0.prefix = prefix }
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        let limits = try await store.group(Limits.self)
        try await limits.commit(author: author) { change(limits) }
        try await store.close()
    }

    private static let host = "/fleet/test$hosts/web-1/"
    private static let canary = "/fleet/test$groups/canary/"

    @Test("The most special domain wins") func mostSpecialDomain() async throws {
        let (store, limits) = try await opened()
        var changes = limits.changes.makeAsyncIterator()
        try await self.store(in: Self.canary, by: "carol") { ($0.requests, $0.burst) = (200, 20) }
        // Everything of one transaction in one change.
        let canary = try #require(await changes.next())
        #expect(canary.mutations.count == 2 && canary.domain == "canary")
        #expect(limits.requests == 200 && limits.burst == 20)
        try await self.store(in: Self.host) { $0.requests = 300 }
        #expect(try #require(await changes.next()).domain == "host")
        #expect(limits.requests == 300 && limits.burst == 20)
        // The fleet's own values are covered, and are written.
        try await limits.commit { ($0.requests, $0.burst) = (400, 40) }
        #expect(limits.requests == 300 && limits.burst == 20)
        #expect(fixture.cluster.text("/fleet/test/requests") == "400")
        #expect(fixture.cluster.text("\(Self.host)requests") == "300")
        fixture.cluster.delete("\(Self.host)requests")
        try await eventually("the host's value is gone") { limits.requests != 300 }
        #expect(limits.requests == 200)
        try await store.close()
    }

    @Test("An explanation names prefix revision and author") func explained() async throws {
        try await store(in: Self.canary, by: "carol") { $0.requests = 200 }
        fixture.cluster.put("\(Self.host)requests", "300")
        let (store, _) = try await opened()
        func place(_ domain: DomainName) -> String? {
            store.keys.explanation(forKey: "requests").answers.first { $0.domain == domain }?.place
        }
        let revision = fixture.cluster.revision
        #expect(place("host") == "“\(Self.host)requests”, revision \(revision)")
        let told = try #require(place("canary"))
        #expect(told.hasPrefix("“\(Self.canary)requests”, revision "))
        try await self.store(in: Self.canary, by: "dave") { $0.requests = 201 }
        try await eventually("dave is named as the author") { place("canary")?.hasSuffix(", by dave") == true }
        try await store.close()
    }

    @Test("A value that cannot be used is reported and the others are in force") func unusableValue() async throws {
        fixture.cluster.put("\(Self.host)requests", "[")
        fixture.cluster.put("\(Self.host)burst", "7")
        let (store, limits) = try await opened()
        #expect(limits.requests == 100 && limits.burst == 7)
        var issues = store.issues.makeAsyncIterator()
        let issue = try #require(await issues.next())
        #expect("\(issue)".contains("“\(Self.host)requests” can't be used"), "\(issue)")
        fixture.cluster.put("\(Self.host)requests", "5000")
        while true {
            let issue = try #require(await issues.next())
            if "\(issue)".contains("1000") { break }
        }
        #expect(limits.requests == 100)
        try await store.close()
    }

    @Test("Without the cluster the last known values are in force") func withoutCluster() async throws {
        let down = FakeTransport(fixture.cluster)
        down.setAll(.refused)
        await #expect(throws: SettingsError.self) { try await opened(host: down) }
        try await store(in: Self.host) { $0.requests = 300 }
        let copy = InMemoryStorage()
        let (first, _) = try await opened(localCopy: copy)
        try await first.close()
        let (second, limits) = try await opened(host: down, localCopy: InMemoryStorage(copy.tree))
        #expect(limits.requests == 300)
        try await store(in: Self.host) { $0.requests = 301 }
        down.setAll(nil)
        try await fixture.whileTimePasses {
            try await eventually("the host's new value is in force") { limits.requests == 301 }
        }
        try await second.close()
    }

    /// The storage reports news only once, until they are fetched.
    @Test("A failed load is repeated") func repeatedLoad() async throws {
        let (storage, transport) = fixture.client()
        let source = EtcdDomainSource(storage)
        _ = try await source.load()
        let reports = LockedValue(0)
        source.watch { reports.withLock { $0 += 1 } }
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        _ = try await source.load()
        transport.set { $0.path == EtcdPath.range ? .refused : nil }
        let before = reports.withLock { $0 }
        await #expect(throws: StorageError.self) { try await source.load() }
        transport.setAll(nil)
        try await fixture.whileTimePasses {
            try await eventually("the source reports a change") { reports.withLock { $0 } != before }
        }
        _ = try await source.load()
        await source.close()
    }

    @Test("Prefixes of hosts and groups are beside that of the fleet") func siblingPrefixes() {
        var fleet = EtcdConfiguration(endpoints: [], prefix: "/app")
        #expect(fleet.forHost("web-1").prefix == "/app$hosts/web-1/")
        fleet.prefix = "/app/"
        #expect(fleet.forGroup("é").prefix == "/app$groups/é/")
        // No name leads into the prefix of another one.
        #expect(fleet.forHost("a/b%2F").prefix == "/app$hosts/a%2Fb%252F/")
        #expect(KeySpace(prefix: fleet.forHost("a/b").prefix).outer.map(\.prefix) == ["/", "/app$hosts/"])
    }

    @Test("Conforms") func conforms() async throws {
        let transports = LockedValue<[ObjectIdentifier: FakeTransport]>([:])
        let keys = LockedValue<[ObjectIdentifier: String]>([:])
        let fixture = fixture
        try await DomainSourceConformance.check(
            make: { number in
                let transport = FakeTransport(fixture.cluster)
                var configuration = fixture.configuration { $0.prefix = "/conforms/\(number)/" }
                // The clock stands still.
                configuration.deadline = .seconds(1_000)
                let source = EtcdDomainSource(EtcdStorage(configuration, transport: transport))
                transports.withLock { $0[ObjectIdentifier(source)] = transport }
                keys.withLock { $0[ObjectIdentifier(source)] = configuration.prefix }
                return source
            },
            change: { source, tree in
                guard let source = source as? EtcdDomainSource,
                    let prefix = keys.withLock({ $0[ObjectIdentifier(source)] })
                else { return }
                // One transaction, as by a program: the stream brings a revision as a whole.
                let (writer, _) = fixture.client {
                    $0.prefix = prefix
                    $0.deadline = .seconds(1_000)
                }
                var values: [SettingKey: SettingValue?] = [:]
                for (key, _) in try await writer.load().tree.root {
                    values.updateValue(nil, forKey: SettingKey(name: key))
                }
                for (key, value) in tree.root { values.updateValue(value, forKey: SettingKey(name: key)) }
                try await writer.append(StorageBatch(revision: 1, values: values), durability: .synced)
                await writer.close()
            },
            setFault: { source, isFaulty in
                guard let source = source as? EtcdDomainSource,
                    let transport = transports.withLock({ $0[ObjectIdentifier(source)] })
                else { return false }
                transport.setAll(isFaulty ? .refused : nil)
                return true
            })
    }
}

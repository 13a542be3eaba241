import EtcdHTTP
import FleetMachines
import Foundation
import Settle
import SettleEtcd
import SettleTesting
import Synchronization
import Testing

/// The storage on three members of etcd.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
struct RealClusterTests {
    struct Counter: SettingsGroup {
        @Setting var count = 0
        @Setting var text = ""
    }

    private static let values = StorageConformance.everyKindOfValue.filter { value in
        switch value {
        case .date, .data: false
        default: true
        }
    }

    /// A transport that loses what the conformance wants lost.
    private final class FaultyTransport: EtcdTransport {
        let base: EtcdHTTPTransport
        let fault = Mutex<StorageConformance.Fault?>(nil)

        init(_ base: EtcdHTTPTransport) { self.base = base }

        func call(_ request: EtcdRequest) async throws -> EtcdAnswer {
            let fault = fault.withLock { $0 }
            switch fault {
            case .appends, .loads, .changes: throw EtcdTransportError("it is cut off", isSurelyUnsent: true)
            case .silence:
                try? await Task.sleep(for: .seconds(3_600))
                throw EtcdTransportError("the call was cancelled")
            default: break
            }
            let answer = try await base.call(request)
            if fault == .answers, request.path.hasSuffix("txn") { throw EtcdTransportError("the answer was lost") }
            return answer
        }

        func stream(_ request: EtcdRequest) async throws -> any AsyncSequence<[UInt8], any Error> & Sendable {
            try await base.stream(request)
        }
    }

    @Test("Conforms") func conforms() async throws {
        let cluster = try RealCluster()
        try await cluster.ready()
        let transport = try EtcdHTTPTransport()
        let transports = Mutex<[ObjectIdentifier: FaultyTransport]>([:])
        let open = { @Sendable (number: Int) in
            let faulty = FaultyTransport(transport)
            let storage = EtcdStorage(
                EtcdConfiguration(endpoints: cluster.endpoints, prefix: "/conformance/\(number)"), transport: faulty)
            transports.withLock { $0[ObjectIdentifier(storage)] = faulty }
            return storage
        }
        try await StorageConformance.check(
            makeStorage: { open($0) }, reopen: { number, _ in open(number) },
            setFault: { storage, fault in
                guard let storage = storage as? EtcdStorage else { return false }
                if fault == .leases { return (try? cluster.revokeLeases()) != nil }
                transports.withLock { $0[ObjectIdentifier(storage)] }?.fault.withLock { $0 = fault }
                return true
            },
            makeOther: { number, _ in open(number) }, values: Self.values)
        try await transport.shutdown()
    }

    /// Waits until a setting has a value.
    private func wait(for value: Int, _ setting: Counter) async {
        for await count in setting.$count where count == value { return }
    }

    private func open(
        _ cluster: RealCluster, _ transport: EtcdHTTPTransport, _ change: (inout EtcdConfiguration) -> Void = { _ in }
    ) async throws -> SettingsStore {
        var configuration = EtcdConfiguration(endpoints: cluster.endpoints, prefix: "/fleet/real/")
        configuration.reconnectDelay = .milliseconds(100)...Duration.seconds(1)
        // The first member is the first endpoint, which is what is killed or stopped.
        configuration.random = { 0 }
        change(&configuration)
        return try await SettingsStore.open(storage: EtcdStorage(configuration, transport: transport))
    }

    @Test("Commits continue when the leader is killed") func killedLeader() async throws {
        let cluster = try RealCluster()
        try await cluster.ready()
        let transport = try EtcdHTTPTransport()
        let (first, second) = (try await open(cluster, transport), try await open(cluster, transport))
        let settings = try await first.group(Counter.self)
        let others = try await second.group(Counter.self)
        var acknowledged = 0
        for round in 0..<30 {
            if round == 10, let leader = try cluster.leader() { cluster.kill(leader) }
            do {
                try await settings.commit { settings.count += 1 }
                acknowledged += 1
            } catch {
                // Undone, or it stands and is settled with the next one.
                continue
            }
        }
        #expect(acknowledged > 20)
        #expect(settings.count >= acknowledged)
        await wait(for: settings.count, others)
        #expect(try cluster.control("get", "/fleet/real/count", "--print-value-only") == "\(settings.count)\n")
        try await first.close()
        try await second.close()
        try await transport.shutdown()
    }

    @Test("A member that is stopped is noticed by silence") func stoppedMember() async throws {
        let cluster = try RealCluster()
        try await cluster.ready()
        let transport = try EtcdHTTPTransport()
        let first = try await open(cluster, transport) { $0.endpoints = [$0.endpoints[1]] }
        let second = try await open(cluster, transport) {
            $0.silence = .seconds(1)
            $0.deadline = .seconds(2)
        }
        let settings = try await first.group(Counter.self)
        let others = try await second.group(Counter.self)
        try await settings.commit { settings.count = 1 }
        await wait(for: 1, others)
        // It keeps the stream, and says nothing any more.
        cluster.pause(0)
        for count in 2...4 {
            while true {
                try Task.checkCancellation()
                // If it was the leader, another one has to be elected first.
                if (try? await settings.commit { settings.count = count }) != nil { break }
            }
        }
        await wait(for: 4, others)
        cluster.pause(0, false)
        try await settings.commit { settings.count = 5 }
        await wait(for: 5, others)
        try await first.close()
        try await second.close()
        try await transport.shutdown()
    }

    @Test("What is compacted while a store is away comes as a difference") func compactedWhileAway() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        let transport = try EtcdHTTPTransport()
        let store = try await open(cluster, transport)
        let settings = try await store.group(Counter.self)
        try cluster.control("put", "/fleet/real/text", "\"old\"")
        for await text in settings.$text where text == "old" { break }
        cluster.kill(0)
        try cluster.start(0)
        try await cluster.ready()
        try cluster.control("del", "/fleet/real/text")
        for count in 1...9 { try cluster.control("put", "/fleet/real/count", "\(count)") }
        let status = try cluster.control("endpoint", "status", "-w", "fields")
        let revision = status.split(separator: "\n").first { $0.hasPrefix("\"Revision\"") }?.split(separator: " ").last
        try cluster.control("compact", String(revision ?? "1"))
        await wait(for: 9, settings)
        #expect(settings.text == "")
        try await store.close()
        try await transport.shutdown()
    }

    @Test("Users and their tokens") func usersAndTheirTokens() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        try cluster.control("user", "add", "root:secret")
        try cluster.control("user", "grant-role", "root", "root")
        try cluster.control("auth", "enable")
        let transport = try EtcdHTTPTransport()
        let store = try await open(cluster, transport) { $0.credentials = .init(name: "root", password: "secret") }
        let settings = try await store.group(Counter.self)
        try await settings.commit { settings.count = 1 }
        // A token dies with the member that gave it.
        cluster.kill(0)
        try cluster.start(0)
        while true {
            if (try? await settings.commit { settings.count = 2 }) != nil { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        try cluster.control("--user", "root:secret", "put", "/fleet/real/count", "3")
        await wait(for: 3, settings)
        await #expect(throws: SettingsError.self) {
            _ = try await open(cluster, transport) { $0.credentials = .init(name: "root", password: "wrong") }
        }
        try await store.close()
        try await transport.shutdown()
    }

    /// Followers that write nothing have nothing but the stream to notice it.
    @Test("A follower continues after the end of its token") func endedToken() async throws {
        let cluster = try RealCluster(members: 1, arguments: ["--auth-token-ttl", "1"])
        try await cluster.ready()
        try cluster.control("user", "add", "root:secret")
        try cluster.control("user", "grant-role", "root", "root")
        try cluster.control("auth", "enable")
        let transport = try EtcdHTTPTransport()
        let store = try await open(cluster, transport) {
            $0.credentials = .init(name: "root", password: "secret")
            $0.silence = .seconds(1)
        }
        let settings = try await store.group(Counter.self)
        for count in 1...3 {
            // Longer than a token lives, and the stream is opened again on a member that knows none.
            try await Task.sleep(for: .seconds(2))
            if count == 2 {
                cluster.kill(0)
                try cluster.start(0)
            }
            while (try? cluster.control("--user", "root:secret", "put", "/fleet/real/count", "\(count)")) == nil {
                try await Task.sleep(for: .milliseconds(100))
            }
            await wait(for: count, settings)
        }
        try await store.close()
        try await transport.shutdown()
    }

    @Test("A transaction may write 126 keys") func manyKeys() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        let transport = try EtcdHTTPTransport()
        let storage = EtcdStorage(
            EtcdConfiguration(endpoints: cluster.endpoints, prefix: "/fleet/many/"), transport: transport)
        _ = try await storage.load()
        var values: [SettingKey: SettingValue?] = [:]
        for index in 0..<126 { values[.path("key\(index)")] = .integer(Int64(index)) }
        try await storage.append(StorageBatch(revision: 1, values: values), durability: .synced)
        #expect(try await storage.load().tree.root.count == 126)
        // Written again and removed, each key is compared or deleted, too.
        try await storage.append(StorageBatch(revision: 2, values: values), durability: .synced)
        for key in values.keys { values.updateValue(nil, forKey: key) }
        try await storage.append(StorageBatch(revision: 3, values: values), durability: .synced)
        #expect(try cluster.control("get", "--prefix", "/fleet/many/key", "--keys-only").isEmpty)
        await storage.close()
        try await transport.shutdown()
    }

    @Test("A large value and that which is too large") func largeValues() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        let transport = try EtcdHTTPTransport()
        let store = try await open(cluster, transport)
        let settings = try await store.group(Counter.self)
        let large = String(repeating: "x", count: 1_468_006)
        try await settings.commit { settings.text = large }
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit { settings.text = large + large }
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("text"))
        #expect(try cluster.control("get", "/fleet/real/text", "--print-value-only").count == large.count + 3)
        try await settings.commit { settings.text = "" }
        try await store.close()
        try await transport.shutdown()
    }

    @Test("A holder that was stopped cannot write late") func stoppedHolder() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        let transport = try EtcdHTTPTransport()
        func open() async throws -> EtcdStorage {
            var configuration = EtcdConfiguration(endpoints: cluster.endpoints, prefix: "/fleet/locks/")
            configuration.lockTimeToLive = .seconds(2)
            configuration.lockMargin = .zero
            let storage = EtcdStorage(configuration, transport: transport)
            _ = try await storage.load()
            return storage
        }
        let (first, second) = (try await open(), try await open())
        let lost = try #require(try await first.tryLock(named: "job"))
        #expect(try await second.tryLock(named: "job") == nil)
        // Nobody renews it: etcd frees it after its time.
        var held: StorageLease?
        while held == nil {
            held = try await second.tryLock(named: "job")
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect((held?.fencingNumber ?? 0) > lost.fencingNumber)
        let error = await #expect(throws: StorageError.self) {
            try await first.append(
                StorageBatch(revision: 1, values: ["a": .integer(1)], conditions: [.under(lost)]), durability: .synced)
        }
        #expect(error?.code == .leaseLost)
        await first.unlock(lost)
        #expect(try cluster.control("get", "/fleet/locks/$settle/locks/job", "--keys-only").contains("job"))
        await first.close()
        await second.close()
        try await transport.shutdown()
    }
}

import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

@Suite(.timeLimit(.minutes(10))) struct EtcdStorageConformanceTests {
    /// JSON has neither dates nor data.
    static let values = StorageConformance.everyKindOfValue.filter { value in
        switch value {
        case .date, .data: false
        default: true
        }
    }

    /// Clusters by number, and the transports of the storages.
    private final class Places: Sendable {
        private let clusters = Mutex<[Int: FakeEtcd]>([:])
        private let transports = Mutex<[ObjectIdentifier: FakeTransport]>([:])
        private let copies = Mutex<[Int: InMemoryStorage]>([:])
        private let prepare: @Sendable (FakeTransport) -> Void

        init(_ prepare: @escaping @Sendable (FakeTransport) -> Void) { self.prepare = prepare }

        func open(_ number: Int, withCopy: Bool) -> EtcdStorage {
            let cluster = clusters.withLock { clusters in
                let cluster = clusters[number] ?? FakeEtcd()
                clusters[number] = cluster
                return cluster
            }
            let transport = FakeTransport(cluster)
            prepare(transport)
            let configuration = EtcdConfiguration(endpoints: ["http://a", "http://b"], prefix: "/fleet/\(number)")
            var copy: InMemoryStorage?
            if withCopy {
                copy = copies.withLock { copies in
                    let copy = copies[number].map(InMemoryStorage.init(sharing:)) ?? InMemoryStorage()
                    copies[number] = copy
                    return copy
                }
            }
            let storage = EtcdStorage(configuration, transport: transport, localCopy: copy)
            transports.withLock { $0[ObjectIdentifier(storage)] = transport }
            return storage
        }

        func set(_ fault: StorageConformance.Fault?, _ storage: any Storage) -> Bool {
            guard let storage = storage as? EtcdStorage,
                let transport = transports.withLock({ $0[ObjectIdentifier(storage)] })
            else { return false }
            switch fault {
            case nil: transport.setAll(nil)
            case .appends, .loads, .changes: transport.setAll(.refused)
            case .answers: transport.set { $0.path == EtcdPath.transaction ? .answerLost : nil }
            case .silence: transport.setAll(.silence)
            case .leases:
                transport.cluster.expire()
                return true
            }
            return true
        }
    }

    private static let disturbances: [(String, @Sendable (FakeTransport) -> Void)] = [
        ("an ordinary cluster", { _ in }),
        ("unknown fields", { $0.state.withLock { $0.hasUnknownFields = true } }),
        (
            "fragments, doubled, byte by byte",
            {
                $0.state.withLock {
                    ($0.areFragmented, $0.areDoubled, $0.pieces) = (true, true, 1)
                }
            }
        ),
    ]

    @Test("Conforms", arguments: disturbances.indices)
    func conforms(_ index: Int) async throws {
        let places = Places(Self.disturbances[index].1)
        let report = try await StorageConformance.check(
            makeStorage: { places.open($0, withCopy: false) },
            reopen: { number, _ in places.open(number, withCopy: false) },
            setFault: { storage, fault in places.set(fault, storage) },
            makeOther: { number, _ in places.open(number, withCopy: false) }, values: Self.values)
        let leftOut = report.leftOut.filter { !$0.hasPrefix("The value ") }
        #expect(leftOut.count == 8, "\(report)")
        let reasons = [
            "it has no lock for transactions", "it refuses to forget", "it is no `CheckpointingStorage`",
            "it preserves nothing",
        ]
        #expect(leftOut.allSatisfy { reason in reasons.contains { reason.hasSuffix($0) } })
    }

    @Test("Conforms with a local copy") func withLocalCopy() async throws {
        let places = Places { _ in }
        let report = try await StorageConformance.check(
            makeStorage: { places.open($0, withCopy: true) },
            reopen: { number, _ in places.open(number, withCopy: true) },
            setFault: { storage, fault in
                // Without the cluster it begins with the last known values, and sends later what it could not.
                fault == .loads || fault == .appends ? false : places.set(fault, storage)
            },
            makeOther: { number, _ in places.open(number, withCopy: false) }, values: Self.values)
        #expect(!report.leftOut.contains { $0.hasSuffix("it preserves nothing") }, "\(report)")
    }
}

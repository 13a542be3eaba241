import Settle
import SettleTesting
import Testing

@testable import SettleEtcd

/// A store that commits unique and equal values, reads in commits and under a lock, and records the outcomes.
struct ReadingClient {
    static let prefix = "/fleet/test/"
    /// Two registers for unique values, two for equal ones, whose names are two spellings of one name, and a count under
    /// a lock.
    static let names = ["first", "second", "Jos\u{E9}", "Jose\u{301}", "counter"]
    /// The keys in the cluster, with one beside the prefix.
    static let etcdKeys = names.map { prefix + $0 } + ["/fleet/outer"]
    private static let (counter, outer) = (4, 5)

    let storage: EtcdStorage
    let transport: FakeTransport
    let store: SettingsStore
    let operations = LockedValue<[ReadHistory.Operation]>([])
    private let number: Int
    private let cluster: FakeEtcd
    /// By the registers.
    private let keys: [SettingKey]
    /// Whether the outcome of its last commit is unknown. What a plain read finds then may never be stored.
    private var isUnsettled = false
    private var steps = 0

    /// - Parameter isOuter: Whether its prefix is around that of the others. It writes the value beside them.
    init(_ number: Int, in fixture: EtcdFixture, isOuter: Bool = false) async throws {
        (storage, transport) = fixture.client { $0.prefix = isOuter ? "/fleet/" : Self.prefix }
        store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        keys = Self.names.map { SettingKey.path(isOuter ? "test/\($0)" : $0) } + (isOuter ? ["outer"] : [])
        (self.number, cluster) = (number, fixture.cluster)
    }

    private var isOuter: Bool { keys.count > Self.names.count }

    /// Makes a random call.
    mutating func step(_ random: inout SeededGenerator) async {
        steps += 1
        let outcome: ReadHistory.Outcome
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            let register = isOuter ? Self.outer : Int.random(in: 0..<2, using: &random)
            outcome = await commit(.init(register: register, value: 1_000 * number + steps))
        case 4..<7 where !isOuter:
            let register = Int.random(in: 2...3, using: &random)
            outcome = await commit(.init(register: register, value: .random(in: 1...3, using: &random)))
        case 7..<9 where !isOuter && !isUnsettled: outcome = await count()
        default: outcome = await commit(nil)
        }
        switch outcome {
        case .acknowledged: isUnsettled = false
        case .refused: break
        case .unknown: isUnsettled = true
        }
    }

    /// Reads until a read is acknowledged, which settles what is open.
    mutating func settle() async throws {
        while true {
            if case .acknowledged = await commit(nil) { break }
            try Task.checkCancellation()
        }
        isUnsettled = false
    }

    private func commit(_ write: ReadHistory.Write?) async -> ReadHistory.Outcome {
        let called = cluster.revision
        let outcome: ReadHistory.Outcome
        do {
            let found = try await store.commit {
                var found: [Int: Int] = [:]
                for (register, key) in keys.enumerated() {
                    found[register] = try store.keys.value(forKey: key, as: Int.self) ?? 0
                }
                if let write { try store.keys.setValue(write.value, forKey: keys[write.register]) }
                return found
            }
            outcome = .acknowledged(found: found)
        } catch {
            let isUnknown = ((error as? SettingsError)?.underlying as? StorageError)?.isOutcomeUnknown == true
            outcome = isUnknown ? .unknown : .refused
        }
        add(called, write, outcome)
        return outcome
    }

    /// A plain read under a lock, and a commit that depends on it.
    private func count() async -> ReadHistory.Outcome {
        let (called, register) = (cluster.revision, Self.counter)
        do {
            return try await store.withLock(named: "counter", timeout: .seconds(4)) {
                let read = try store.keys.value(forKey: keys[register], as: Int.self) ?? 0
                add(called, nil, .acknowledged(found: [register: read]))
                let outcome = await commit(ReadHistory.Write(register: register, value: read + 1))
                if case .acknowledged(let found) = outcome {
                    #expect(found[register] == read, "Somebody else has counted under the lock.")
                }
                return outcome
            }
        } catch {
            // It was not taken in time, or it was lost, perhaps after a commit whose outcome is unknown.
            return .unknown
        }
    }

    private func add(_ called: Int64, _ write: ReadHistory.Write?, _ outcome: ReadHistory.Outcome) {
        let operation = ReadHistory.Operation(
            called: Int(called), answered: Int(cluster.revision), write: write, outcome: outcome)
        operations.withLock { $0.append(operation) }
    }
}

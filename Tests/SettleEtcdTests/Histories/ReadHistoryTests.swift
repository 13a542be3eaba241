import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Stores that commit unique and equal values, read in commits and under a lock, and whose keys are two spellings of one
/// name, while calls fail, streams are late, locks and time are lost. The prefix of one of them is around that of the
/// others.
@Suite(.timeLimit(.minutes(10)))
struct ReadHistoryTests {
    private static let innerNames = ["first", "second", "Jos\u{E9}", "Jose\u{301}", "counter"]
    private static let etcdKeys = innerNames.map { "/fleet/test/\($0)" } + ["/fleet/outer"]
    private static let (counter, outer) = (4, 5)

    private let fixture = EtcdFixture()

    @Test(
        "In the order of the revisions, each commit and each read has found what was there",
        arguments: histories(usually: 10))
    func readsAreExplained(_ round: UInt64) async throws {
        let operations = LockedValue<[ReadHistory.Operation]>([])
        try await fixture.whileTimePasses {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...4 {
                    group.addTask { [fixture] in
                        try await Self.live(number, seed: 2_903 + 10 * round + UInt64(number), in: fixture, operations)
                    }
                }
                try await group.waitForAll()
            }
        }
        let all = operations.withLock { $0 }
        let problems = ReadHistory(fixture.cluster, keys: Self.etcdKeys).problems(all)
        #expect(problems == [], "round \(round)")
        let stored = all.count { if case .acknowledged = $0.outcome { $0.write != nil } else { false } }
        #expect(stored > 20, "round \(round)")
    }

    private struct Client {
        let store: SettingsStore
        /// By the registers.
        let keys: [SettingKey]
        let cluster: FakeEtcd
        let operations: LockedValue<[ReadHistory.Operation]>

        func commit(_ write: ReadHistory.Write?) async -> ReadHistory.Outcome {
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
        func count() async -> ReadHistory.Outcome {
            let (called, register) = (cluster.revision, ReadHistoryTests.counter)
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

    private static func live(
        _ number: Int, seed: UInt64, in fixture: EtcdFixture, _ operations: LockedValue<[ReadHistory.Operation]>
    ) async throws {
        let isOuter = number == 4
        let (storage, transport) = fixture.client { if isOuter { $0.prefix = "/fleet/" } }
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        // Prefixes within one another are reported.
        let issues = Task { for await _ in store.issues {} }
        defer { issues.cancel() }
        let keys = innerNames.map { SettingKey.path(isOuter ? "test/\($0)" : $0) } + (isOuter ? ["outer"] : [])
        let client = Client(store: store, keys: keys, cluster: fixture.cluster, operations: operations)
        let disturbance = CommitHistoryTests.Disturbance(seed: seed)
        transport.set { disturbance.fault($0) }
        var random = SeededGenerator(seed: seed)
        var isUnsettled = false
        for step in 1...20 {
            disturb(fixture, transport, &random)
            let outcome: ReadHistory.Outcome
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let register = isOuter ? outer : Int.random(in: 0..<2, using: &random)
                outcome = await client.commit(.init(register: register, value: 1_000 * number + step))
            case 4..<7 where !isOuter:
                let register = Int.random(in: 2...3, using: &random)
                outcome = await client.commit(.init(register: register, value: .random(in: 1...3, using: &random)))
            // What a plain read finds after a commit with an unknown outcome may never be stored.
            case 7..<9 where !isOuter && !isUnsettled: outcome = await client.count()
            default: outcome = await client.commit(nil)
            }
            switch outcome {
            case .acknowledged: isUnsettled = false
            case .refused: break
            case .unknown: isUnsettled = true
            }
        }
        disturbance.end()
        transport.releaseStreams()
        // Settles what is open.
        while case .unknown = await client.commit(nil) { try Task.checkCancellation() }
        try await store.close()
    }

    /// Does something to a client's streams, to all locks, or to the time.
    private static func disturb(
        _ fixture: EtcdFixture, _ transport: FakeTransport, _ random: inout SeededGenerator
    ) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: transport.endStreams()
        case 1...2: transport.holdStreams()
        case 3...4: transport.releaseStreams()
        case 5: fixture.cluster.expire()
        // As on a machine that was asleep: longer than a lock lasts.
        case 6: fixture.clock.advance(by: .seconds(20))
        default: break
        }
    }

    // MARK: The check

    /// Register 0 becomes 1, 2 and 1 again, at the revisions 2, 3 and 4.
    private let history = ReadHistory(registers: 1, revisions: 4) { revision in
        revision < 2 ? [] : [ReadHistory.Write(register: 0, value: revision == 3 ? 2 : 1)]
    }

    private func problems(_ operations: (called: Int, answered: Int, value: Int?, found: Int?)...) -> Int {
        history.problems(
            operations.map { operation in
                ReadHistory.Operation(
                    called: operation.called, answered: operation.answered,
                    write: operation.value.map { ReadHistory.Write(register: 0, value: $0) },
                    outcome: operation.found.map { .acknowledged(found: [0: $0]) } ?? .unknown)
            }
        ).count
    }

    @Test("The check finds what no revision explains")
    func check() {
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, 1, 2), (4, 4, 1, 1), (2, 3, nil, 2)) == 0)
        // A stale read, and a commit that has known 1 instead of 2.
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, 1, 2), (3, 3, nil, 1)) == 1)
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, nil, nil), (3, 3, 1, 1)) == 2)
        // Once too often, and once too seldom.
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1)) == 1)
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, 1, nil)) == 0)
        #expect(problems((1, 4, 1, 0), (2, 3, 2, 1), (1, 4, 1, 2), (3, 4, 1, 2)) == 1)
    }
}

import Settle
import SettleTesting
import Testing

/// Reads, writes and changes of domains, all at the same time.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SearchListRaceTests {
    /// The sum of `left` and `right` is 0 in every domain that has them.
    struct Balanced: SettingsGroup {
        @Setting var left = 0
        @Setting var right = 0
        @Setting var count = 0
        @Setting var names = ["a": 0]
    }

    private static let rounds = 400

    private func open() async throws -> (SettingsStore, Balanced, TestDomain) {
        let source = TestDomain()
        var configuration = SettingsStore.Configuration()
        configuration.logLimit = 100_000
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: [.overrides, .source("above", source), .application, .registration],
            configuration: configuration)
        return (store, try await store.group(Balanced.self), source)
    }

    private func pair(_ number: Int) -> [String: Any] { ["left": number, "right": -number] }

    @Test("A snapshot never mixes two domains, or two states of one") func snapshots() async throws {
        let (store, settings, source) = try await open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...Self.rounds { source.set(round % 3 == 0 ? [:] : self.pair(round)) }
            }
            group.addTask {
                for round in 1...Self.rounds {
                    try await store.domains[.registration].replace(with: plainTree(self.pair(-round)))
                }
            }
            group.addTask {
                for round in 1...Self.rounds {
                    try settings.update { (settings.left, settings.right) = (1_000 + round, -1_000 - round) }
                    if round % 5 == 0 { try settings.reset() }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 1...Self.rounds * 5 {
                        let snapshot = settings.snapshot()
                        #expect(snapshot.left + snapshot.right == 0)
                        if snapshot.left + snapshot.right != 0 { return }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Changes in place are neither lost nor begin with another domain's value, whatever covers them")
    func changesInPlace() async throws {
        let (store, settings, source) = try await open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 1...Self.rounds { settings.count += 1 } }
                group.addTask { for _ in 1...Self.rounds { settings.names["a", default: 0] += 1 } }
            }
            group.addTask {
                for round in 1...Self.rounds {
                    let override = try store.domains.override(settings.$count, with: 1_000_000)
                    source.set(round % 2 == 0 ? [:] : ["count": 2_000_000, "names": ["a": 3_000_000]])
                    override.cancel()
                }
                source.set([:])
            }
            try await group.waitForAll()
        }
        #expect(settings.$count.domains.stored == Self.rounds * 4)
        #expect(settings.$names.domains.stored == ["a": Self.rounds * 4])
        #expect(await settings.$count.first { $0 == Self.rounds * 4 } == Self.rounds * 4)
    }

    @Test("The changes of a setting follow each other without a gap, and end with the value in force")
    func streams() async throws {
        let (store, settings, _) = try await open()
        let changes = settings.$left.changes
        let seen = Task {
            var (value, revision) = (0, UInt64(0))
            for await change in changes {
                let mutation = try #require(change[settings.$left])
                #expect(change.missed.count == 0 && (change.revision ?? 0) > revision)
                #expect(mutation.oldValue == value, "\(change)")
                (value, revision) = (mutation.newValue, change.revision ?? 0)
                if value == -1 { break }
            }
            return value
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...Self.rounds {
                    try await store.domains[.registration].replace(with: plainTree(["left": round]))
                }
            }
            group.addTask {
                for round in 1...Self.rounds {
                    settings.left = 10_000 + round
                    if round % 2 == 0 { try settings.$left.reset() }
                }
            }
            group.addTask {
                for round in 1...Self.rounds {
                    try store.domains.override(settings.$left, with: 20_000 + round).cancel()
                }
            }
            try await group.waitForAll()
        }
        settings.left = -1
        #expect(try await seen.value == -1)
    }

    @Test("What is told of a setting is of one moment, and groups open and are released meanwhile") func telling()
        async throws
    {
        let (store, settings, source) = try await open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...Self.rounds { source.set(round % 2 == 0 ? [:] : ["left": 1, "late": ["left": 5]]) }
                source.set(["late": ["left": 5]])
            }
            group.addTask {
                for round in 1...Self.rounds {
                    settings.left = round
                    let (domain, explanation) = (settings.$left.domains.current, settings.$left.domains.explanation)
                    #expect(["above", "application"].contains(domain))
                    #expect(
                        explanation?.answers.count { $0.outcome == .inForce } == 1, "\(String(describing: explanation))"
                    )
                }
            }
            group.addTask {
                for _ in 1...Self.rounds / 8 {
                    let late = try await store.group(Balanced.self, at: "late")
                    #expect([0, 5].contains(late.left))
                    try await store.release(at: "late")
                }
            }
            try await group.waitForAll()
        }
        let late = try await store.group(Balanced.self, at: "late")
        #expect(await late.$left.first { $0 == 5 } == 5 && late.$left.domains.current == "above")
    }
}

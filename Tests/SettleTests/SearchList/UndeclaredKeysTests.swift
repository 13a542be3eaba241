import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Keys that no group declares, in several domains: the value by key, the list of all values and the explanation agree.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UndeclaredKeysTests {
    private func open(
        _ high: [String: Any], _ middle: [String: Any] = [:], own: [String: Any], _ low: [String: Any] = [:]
    ) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: InMemoryStorage(plainTree(own)),
            searching: [
                .source("high", TestDomain(high)), .source("middle", TestDomain(middle)), .application,
                .source("low", TestDomain(low)), .registration,
            ])
    }

    @Test("A value around a key covers what the domains below have in it") func around() async throws {
        let store = try await open(["u": 1], ["u": ["x": 2]], own: ["u": ["x": 3]], ["u": ["x": 4]])
        #expect(store.keys["u"] == .integer(1) && store.keys["u.x"] == nil)
        #expect(store.keys.effectiveValues == plainTree(["u": 1]))
        let found = store.keys.explanation(forKey: "u.x")
        #expect(found.value == nil && found.domain == .declaration && found.origin == .default)
        #expect(found.answers.map(\.domain) == ["middle", .application, "low"])
        #expect(found.answers.allSatisfy { $0.outcome == .covered })
        // The application's own value, too.
        let other = try await open([:], own: ["u": 1], ["u": ["x": 4]])
        #expect(other.keys["u"] == .integer(1) && other.keys["u.x"] == nil)
        try other.keys.setValue(2, forKey: "v")
        try other.domains.register(["v": ["x": 5]])
        #expect(other.keys["v"] == .integer(2) && other.keys["v.x"] == nil)
    }

    @Test("Of joined dictionaries, what adds an entry is in force") func joined() async throws {
        let store = try await open(["u": ["x": 1]], ["u": ["x": 2]], own: ["u": ["y": 3]], ["u": ["x": 4]])
        #expect(store.keys["u"] == .dictionary(["x": .integer(1), "y": .integer(3)]))
        let found = store.keys.explanation(forKey: "u")
        #expect(found.value == store.keys["u"] && found.domain == "high")
        #expect(found.answers.map(\.domain) == ["high", "middle", .application, "low"])
        #expect(found.answers.map(\.outcome) == [.inForce, .covered, .inForce, .covered])
    }

    @Test("Another value between two dictionaries ends their joining") func between() async throws {
        let store = try await open(["u": ["x": 1]], ["u": 2], own: ["u": ["y": 3]])
        #expect(store.keys["u"] == .dictionary(["x": .integer(1)]) && store.keys["u.y"] == nil)
        #expect(store.keys.effectiveValues == plainTree(["u": ["x": 1]]))
        #expect(store.keys.explanation(forKey: "u").answers.map(\.outcome) == [.inForce, .covered, .covered])
    }

    @Test("A name with dots is the path in another program's domain") func literals() async throws {
        let store = try await open(["a.b": 1], ["a": ["b": 2]], own: [:])
        #expect(store.keys["a.b"] == .integer(1))
        let found = store.keys.explanation(forKey: "a.b")
        #expect(found.value == .integer(1) && found.domain == "high")
        #expect(found.answers.map(\.outcome) == [.inForce, .covered])
        let stored = try await open([:], ["a": ["b": 2]], own: ["a.b": 3])
        #expect(stored.keys["a.b"] == .integer(2) && stored.keys.explanation(forKey: "a.b").value == .integer(2))
    }

    @Test("A key that no domain had is found once a domain has it, until it is removed") func later() async throws {
        let store = try await open(["u": 1], own: ["v": 2], ["w": 3])
        func value() throws -> Int? { try store.keys.value(forKey: "late", as: Int.self) }
        #expect(try value() == nil && store.keys["late"] == nil)
        try store.domains.register(["late": 4])
        #expect(try value() == 4)
        // A value that needs a conversion.
        try store.domains.register(["late": 5.0])
        #expect(try value() == 5)
        try await store.domains[.registration].replace(with: SettingTree())
        #expect(try value() == nil && store.keys["late"] == nil)
    }

    @Test("Many nested defaults are registered in a time that grows with their number") func manyNested() async throws {
        let store = try await open([:], ["window": ["x": 1]], own: [:])
        // Joined from now on.
        #expect(store.keys["window.x"] == .integer(1) && store.keys["window"] != nil)
        func time(_ count: Int) throws -> Double {
            let defaults = Dictionary(uniqueKeysWithValues: (0..<count).map { ("window.n\(count).key\($0)", $0) })
            let start = secondsOnProcessor()
            try store.domains.register(defaults)
            return secondsOnProcessor() - start
        }
        let (short, long) = (try time(1_000), try time(16_000))
        #expect(long < short * 100 + 1, "\(short), \(long)")
        #expect(store.keys["window.n16000.key15999"] == .integer(15_999) && store.keys["window.x"] == .integer(1))
    }

    @Test("All of it agrees for random values", arguments: 1...30) func random(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var number = 0
        func value(_ depth: Int) -> Any? {
            number += 1
            switch Int.random(in: 0..<(depth > 2 ? 2 : 5), using: &random) {
            case 0: return nil
            case 1: return number
            default:
                var entries: [String: Any] = [:]
                for name in ["x", "y"] { entries[name] = value(depth + 1) }
                return entries.isEmpty ? nil : entries
            }
        }
        func tree() -> [String: Any] { ["u": value(0), "v": value(0)].compactMapValues(\.self) }
        let trees = (0..<4).map { _ in tree() }
        let store = try await open(trees[0], trees[1], own: trees[2], trees[3])
        for isWritten in [false, true] {
            let written = ["u", "u.x", "v.y"].randomElement(using: &random) ?? "u"
            if isWritten { try store.keys.setValue(0, forKey: written) }
            let effective = store.keys.effectiveValues
            for key: SettingKey in ["u", "u.x", "u.y", "u.x.x", "u.x.y", "u.y.x", "u.x.y.x", "v", "v.x", "v.y"] {
                let found = store.keys.explanation(forKey: key)
                #expect(store.keys[key] == effective[key], "\(key), seed \(seed)")
                #expect(found.value == effective[key], "\(key), seed \(seed)")
                if case .integer(let number)? = effective[key] {
                    #expect(try store.keys.value(forKey: key, as: Int64.self) == number, "\(key), seed \(seed)")
                } else if effective[key] == nil {
                    #expect(try store.keys.value(forKey: key, as: Int64.self) == nil, "\(key), seed \(seed)")
                }
                let inForce = found.answers.filter { $0.outcome == .inForce }
                #expect(inForce.isEmpty == (found.value == nil), "\(key), seed \(seed)")
                #expect(inForce.first.map(\.domain) ?? .declaration == found.domain, "\(key), seed \(seed)")
            }
        }
    }
}

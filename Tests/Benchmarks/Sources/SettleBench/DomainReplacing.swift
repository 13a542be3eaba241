import Foundation
import Settle

/// A domain below the application's that gets 1,000 new values, of which one comes into force.
enum DomainReplacing {
    private struct Five: SettingsGroup {
        @Setting var a = 0
        @Setting var b = 0
        @Setting var c = 0
        @Setting var d = 0
        @Setting var e = 0
    }

    static func measure(_ plan: Plan) async throws -> RowResult {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(tree(1, without: "g000.a")), searching: [.application, .registration])
        var groups: [Five] = []
        for number in 0..<200 { groups.append(try await store.group(Five.self, at: name(number))) }
        let trees = [tree(2), tree(3)]
        let json = try SettingValue.dictionary(trees[0].root).json()
        let revision = store.revision
        var replaced: UInt64 = 0
        let domain = store.domains[.registration]
        func replace() async throws -> Double {
            let start = nanoseconds()
            try await domain.replace(with: trees[Int(replaced % 2)])
            let end = nanoseconds()
            replaced += 1
            return Double(end - start)
        }
        if let seconds = plan.profiledSeconds {
            let end = nanoseconds() + UInt64(seconds * 1e9)
            while nanoseconds() < end { _ = try await replace() }
        }
        let comparison = await plan.alternate(
            pairs: plan.profiledSeconds == nil ? plan.pairs : 1, subject: { (try? await replace()) ?? .nan },
            limit: { parse(json) })
        let row = Row(
            id: "R26", subject: "replace a domain of 1,000 declared keys, one wins", limit: "parsing it", goal: 2)
        let isRight = store.revision - revision == replaced && groups[0].a == (replaced % 2 == 1 ? 2 : 3)
        try await store.close()
        return RowResult(
            row, comparison, notes: [isRight ? "one change each" : "WRONG: not one change for each replacement"])
    }

    private static func parse(_ json: Data) -> Double {
        let start = nanoseconds()
        let value = try? SettingValue(json: json)
        let end = nanoseconds()
        return value == nil ? .nan : Double(end - start)
    }

    private static func name(_ number: Int) -> String {
        "g" + String(repeating: "0", count: 3 - String(number).count) + String(number)
    }

    private static func tree(_ value: Int64, without missing: SettingKey? = nil) -> SettingTree {
        var tree = SettingTree()
        for number in 0..<200 {
            let members = ["a", "b", "c", "d", "e"].map { ($0, SettingValue.integer(value)) }
            tree.root[name(number)] = .dictionary(SettingValue.Entries(uniqueKeysWithValues: members))
        }
        if let missing { tree[missing] = nil }
        return tree
    }
}

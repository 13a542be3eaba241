import Configuration
import Foundation
import Settle

/// Reading by keys known only at run time.
enum KeyedReads {
    static let all = [Benchmark(rows: ["R3"]) { plan in [try await measure(plan)] }]

    private static let keyCount = 10_000

    private static func measure(_ plan: Plan) async throws -> RowResult {
        let keys = Samples.keys(keyCount)
        var tree = SettingTree()
        for (index, key) in keys.enumerated() { tree.root[key] = .integer(Int64(index)) }
        let store = try await SettingsStore.open(storage: InMemoryStorage(tree))
        let defaults = try DefaultsFixture()
        let shuffled = keys.shuffled()
        let result = await onOwnThread {
            let table = Guarded(Dictionary(uniqueKeysWithValues: zip(keys, 0...)))
            let limit = { (turns: Int) in
                forEachKey(shuffled, turns) { key in table.withLock { $0[key] } ?? 0 }
            }
            let comparison = plan.compare(
                subject: { turns in
                    forEachKey(shuffled, turns) { key in (try? store.keys.value(forKey: key, as: Int.self)) ?? 0 }
                },
                limit: limit)
            let row = Row(
                id: "R3", subject: "read by run-time key, 10,000 keys", limit: "Mutex<[String: Int]>", goal: 1,
                stretch: 0.7)
            return RowResult(row, comparison, peers: peers(keys, shuffled, defaults, limit, plan))
        }
        try await store.close()
        return result
    }

    /// Looks up keys in an order that no table has.
    @inline(__always)
    private static func forEachKey(_ keys: [String], _ turns: Int, _ look: (String) -> Int) {
        var sum = 0
        var index = 0
        for _ in 0..<turns {
            sum &+= look(keys[index])
            index = index + 1 == keys.count ? 0 : index + 1
        }
        consume(sum)
    }

    private static func peers(
        _ keys: [String], _ shuffled: [String], _ defaults: DefaultsFixture, _ limit: (Int) -> Void, _ plan: Plan
    ) -> [RowResult.Peer] {
        guard plan.includesPeers else { return [] }
        defaults.fill(with: Dictionary(uniqueKeysWithValues: zip(keys, 0...)))
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (index, key) in keys.enumerated() {
            values[AbsoluteConfigKey([key], context: [:])] = ConfigValue(.int(index), isSecret: false)
        }
        let reader = ConfigReader(provider: InMemoryProvider(values: values))
        return plan.peer(PeerName.defaults, limit: limit) { turns in
            forEachKey(shuffled, turns) { key in defaults.defaults.integer(forKey: key) }
        }
            + plan.peer(PeerName.configuration, limit: limit) { turns in
                forEachKey(shuffled, turns) { key in reader.int(forKey: ConfigKey([key], context: [:]), default: 0) }
            }
    }
}

import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// A follower that is away again and again, while others write, delete and compact, and snapshots are restored at
/// random.
@Suite(.timeLimit(.minutes(10))) struct RestoreHistoryTests {
    private let fixture = EtcdFixture()

    /// Stores or removes something: under the prefix or elsewhere.
    private func write(_ count: Int, _ random: inout SeededGenerator) {
        for _ in 0..<count {
            let key = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
            switch Int.random(in: 0..<8, using: &random) {
            case 0: fixture.cluster.delete("/fleet/test/\(key)")
            case 1: fixture.cluster.put("/elsewhere", "1")
            default: fixture.cluster.put("/fleet/test/\(key)", "\(Int.random(in: 0..<1_000, using: &random))")
            }
        }
    }

    private var stored: SettingTree {
        var tree = SettingTree()
        for name in ["a", "b", "c", "d", "own"] {
            tree[name] = fixture.cluster.text("/fleet/test/\(name)").flatMap { Int64($0) }.map { .integer($0) }
        }
        return tree
    }

    /// The keys under the prefix as of a revision.
    private func values(at revision: Int64) -> [[UInt8]: FakeEtcd.Value] {
        fixture.cluster.state.withLock { state in
            var values: [[UInt8]: FakeEtcd.Value] = [:]
            for number in 0...revision {
                for event in state.allEvents[number] ?? [] where event.key.starts(with: "/fleet/test/".utf8) {
                    values[event.key] = event.value
                }
            }
            return values
        }
    }

    /// Brings a follower back.
    private func comeBack(_ follower: Follower, _ transport: FakeTransport, _ place: Comment) async throws {
        transport.setAll(nil)
        try await fixture.whileTimePasses {
            try await eventually("the storage follows the cluster") { await follower.storage.isFollowing }
            // A change that a read has brought, or an audit where only deletions of other tools are different.
            for _ in 0..<2_000 where follower.tree.withLock({ $0 }) != stored {
                try await follower.fetch()
                for _ in 0..<20 { await Task.yield() }
            }
        }
        #expect(follower.tree.withLock { $0 } == stored, place)
    }

    @Test("A follower ends with what is there and is alarmed by restores only", arguments: histories(usually: 8))
    func randomRestores(_ round: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: 9_100 + round)
        write(6, &random)
        let (follower, transport) = try await fixture.follower()
        for period in 0..<6 {
            let place: Comment = "round \(round), period \(period)"
            let snapshot = fixture.cluster.copy()
            if Bool.random(using: &random) { write(.random(in: 1...4, using: &random), &random) }
            if Bool.random(using: &random) {
                let value = SettingValue.integer(.random(in: 0..<1_000, using: &random))
                let batch = StorageBatch(revision: 1, values: ["own": value])
                try await follower.storage.append(batch, durability: .synced)
                follower.tree.withLock { $0["own"] = value }
            }
            try await comeBack(follower, transport, place)
            let alarms = follower.events.issues.withLock { $0.count }
            let known = await follower.storage.view.mirror.revision
            let before = values(at: known)
            let newest = before.filter { $0.value.modified == before.values.map(\.modified).max() }
            transport.setAll(.refused)
            transport.endStreams()
            try await eventually("the interruption is noticed") { await follower.storage.isInterrupted }
            let isRestored = Bool.random(using: &random)
            if isRestored { fixture.cluster.restore(snapshot) }
            write(.random(in: 0...12, using: &random), &random)
            let isCompacted = Int.random(in: 0..<3, using: &random) == 0
            if isCompacted { fixture.cluster.compact() }
            let now = values(at: known)
            let isOther = newest.contains { key, value in
                now[key]?.modified != value.modified || now[key]?.bytes != value.bytes
            }
            let isSure = fixture.cluster.revision < known || !isCompacted && isOther
            try await comeBack(follower, transport, place)
            let isAlarmed = follower.events.issues.withLock { $0.count } > alarms
            #expect(!isAlarmed || isRestored, place)
            // Where only deletions show it, everything is read again without an alarm.
            if isSure { #expect(isAlarmed, place) }
        }
        await follower.storage.close()
    }
}

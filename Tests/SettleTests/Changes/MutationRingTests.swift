import Testing

@testable import Settle

@Suite struct MutationRingTests {
    private let root = Channel(parent: nil)
    private let box = SettingBox(SettingDefinition(key: "key", defaultValue: 0, rules: [], codec: .standard))
    private let slot: SettingSlot

    init() {
        slot = SettingSlot(key: "key", declaration: nil, schedule: 0, box: box, parent: root)
    }

    private func details(_ number: any Sendable, cost: Int = 0) -> LogDetails {
        LogDetails([LoggedMutation(slot: slot, old: 0, new: number)], origin: .local, writer: nil, cost: cost)
    }

    private func value(_ entry: LogEntry?) -> Int? {
        entry?.details.mutations.first?.new as? Int
    }

    private func bounds(_ ring: borrowing MutationRing) -> [UInt64] {
        [ring.oldest, ring.newest]
    }

    @Test("A new ring holds nothing")
    func empty() {
        let ring = MutationRing(capacity: 4, costLimit: 100)
        let entries = [ring[0] == nil, ring[1] == nil]
        #expect(bounds(ring) == [1, 0] && entries == [true, true])
    }

    @Test(
        "It holds the newest entries at their revisions; its capacity is rounded up to a power of two",
        arguments: [(1, 1), (2, 2), (3, 4), (16, 16), (17, 32), (64, 64), (200, 256)])
    func holds(asked: Int, capacity: Int) {
        var ring = MutationRing(capacity: asked, costLimit: .max)
        for number in 1...600 {
            // Words and details, in turn.
            if number.isMultiple(of: 3) {
                ring.append(details(number), time: Double(number))
            } else {
                ring.append(slot, old: 0, new: UInt64(number), time: Double(number))
            }
            let oldest = UInt64(max(1, number - capacity + 1))
            let ends = [value(ring[oldest]), value(ring[UInt64(number)])]
            #expect(bounds(ring) == [oldest, UInt64(number)])
            #expect(ends == [Int(oldest), number])
            let outside = [value(ring[oldest - 1]), value(ring[UInt64(number + 1)])]
            #expect(outside == [nil, nil])
        }
        for revision in ring.oldest...ring.newest {
            let entry = ring[revision]
            #expect(value(entry) == Int(revision) && entry?.time == Double(revision))
        }
    }

    @Test("The cost limit drops old entries but never the newest one")
    func cost() {
        var ring = MutationRing(capacity: 64, costLimit: 100)
        for number in 1...10 { ring.append(details(number, cost: 30), time: 0) }
        #expect(bounds(ring) == [8, 10])
        ring.append(details(11, cost: 1_000), time: 0)
        #expect(bounds(ring) == [11, 11])
        ring.append(details(12, cost: 100), time: 0)
        #expect(bounds(ring) == [12, 12])
        // What was dropped costs nothing any more.
        ring.append(details(13), time: 0)
        ring.append(slot, old: 0, new: 14, time: 0)
        #expect(bounds(ring) == [12, 14])
    }

    @Test("Entries that are dropped, and the ring when it goes, let go of their values")
    func release() {
        final class Token: Sendable {}
        var tokens: [Weak<Token>] = []
        func make() -> LogDetails {
            let token = Token()
            tokens.append(Weak(token))
            return details(token)
        }
        do {
            var ring = MutationRing(capacity: 2, costLimit: .max)
            for _ in 0..<3 { ring.append(make(), time: 0) }
            #expect(tokens.map { $0.object == nil } == [true, false, false])
            _ = bounds(ring)
        }
        #expect(tokens.allSatisfy { $0.object == nil })
    }
}

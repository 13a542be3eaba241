import Testing

@testable import Settle

@Suite struct MutationRingTests {
    private let root = Topic(parent: nil)
    private let box = SettingBox(SettingDefinition(key: "key", defaultValue: 0, rules: [], codec: .standard))
    private let slot: SettingSlot

    init() {
        slot = SettingSlot(key: "key", declaration: nil, schedule: 0, box: box, parent: root)
    }

    private func details(_ number: any Sendable, cost: Int = 0) -> LogDetails {
        LogDetails([LoggedMutation(slot: slot, old: 0, new: number)], origin: .local, author: nil, cost: cost)
    }

    private func value(_ entry: LogEntry?) -> Int? {
        entry?.details.mutations.first?.new as? Int
    }

    private func bounds(_ ring: borrowing MutationRing) -> [UInt64] {
        [ring.oldest, ring.newest]
    }

    @Test("A new ring is empty")
    func empty() {
        let ring = MutationRing(capacity: 4, costLimit: 100)
        let entries = [ring[0] == nil, ring[1] == nil]
        #expect(bounds(ring) == [1, 0] && entries == [true, true])
    }

    @Test(
        "A ring holds its newest entries by revision; its capacity is rounded up to a power of two",
        arguments: [(1, 1), (2, 2), (3, 4), (16, 16), (17, 32), (64, 64), (200, 256)])
    func holds(asked: Int, capacity: Int) {
        var ring = MutationRing(capacity: asked, costLimit: .max)
        for number in 1...600 {
            // Entries of both kinds in turn: with details, and a single word.
            if number.isMultiple(of: 3) {
                ring.append(details(number), time: Double(number)).release()
            } else {
                ring.append(slot, old: 0, new: UInt64(number), time: Double(number)).release()
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

    @Test("The cost limit drops old entries") func cost() {
        var ring = MutationRing(capacity: 64, costLimit: 100)
        for number in 1...10 { ring.append(details(number, cost: 30), time: 0).release() }
        #expect(bounds(ring) == [8, 10])
        ring.append(details(12, cost: 100), time: 0).release()
        #expect(bounds(ring) == [11, 11])
        // Dropped entries no longer cost anything.
        ring.append(details(13), time: 0).release()
        ring.append(slot, old: 0, new: 14, time: 0).release()
        #expect(bounds(ring) == [11, 13])
    }

    @Test("A transaction over the cost limit is kept without its values and drops no others")
    func costOfOne() {
        var ring = MutationRing(capacity: 64, costLimit: 100)
        ring.append(details(1, cost: 60), time: 0).release()
        let large = LogDetails(
            [LoggedMutation(slot: slot, old: 1, new: 2)], origin: .local, author: "writer", cost: 101, limit: 100)
        ring.append(large, time: 0).release()
        #expect(bounds(ring) == [1, 2])
        let entry = ring[2]
        #expect(entry?.hasValues == false && entry?.details.author == "writer" && value(entry) == nil)
        #expect(entry?.mutations(within: root, of: .effective).isEmpty == true)
    }

    @Test("A ring accepts an unlimited capacity") func endless() {
        var ring = MutationRing(capacity: .max, costLimit: .max)
        for number in 1...100 { ring.append(slot, old: 0, new: UInt64(number), time: 0).release() }
        #expect(bounds(ring) == [1, 100])
    }

    @Test("A dropped entry releases its values, and so does the ring when it is destroyed")
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
            for _ in 0..<2 { ring.append(make(), time: 0).release() }
            let dropped = ring.append(make(), time: 0)
            // The ring must not run a deinit: the caller releases the entry once it has given up the lock.
            #expect(tokens.map { $0.object == nil } == [false, false, false])
            dropped.release()
            #expect(tokens.map { $0.object == nil } == [true, false, false])
            _ = bounds(ring)
        }
        #expect(tokens.allSatisfy { $0.object == nil })
    }
}

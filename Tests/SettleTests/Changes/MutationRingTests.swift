import Testing

@testable import Settle

@Suite struct MutationRingTests {
    private let slot = SettingSlot(key: "key", declaration: nil, schedule: 0, box: nil, parent: nil)

    private func entry(_ number: Int, cost: Int = 0) -> LogEntry {
        LogEntry(
            first: LoggedMutation(slot: slot, old: number - 1, new: number), others: [], time: 0, origin: .local,
            writer: nil, cost: cost)
    }

    private func value(_ entry: LogEntry?) -> Int? {
        entry?.first.new as? Int
    }

    @Test("A new ring holds nothing")
    func empty() {
        let ring = MutationRing(capacity: 4, costLimit: 100)
        #expect(ring.count == 0 && ring.newest == 0 && ring.oldest == 1)
        #expect(ring[0] == nil && ring[1] == nil)
    }

    @Test("The capacity is rounded up to a power of two", arguments: [(1, 1), (2, 2), (3, 4), (17, 32), (1_024, 1_024)])
    func capacity(asked: Int, given: Int) {
        #expect(MutationRing(capacity: asked, costLimit: 0).capacity == given)
    }

    @Test("It holds the newest entries, at their revisions", arguments: [1, 2, 4, 16, 64, 256])
    func holds(capacity: Int) {
        var ring = MutationRing(capacity: capacity, costLimit: .max)
        for number in 1...300 {
            ring.append(entry(number))
            let oldest = max(1, number - capacity + 1)
            #expect(ring.newest == UInt64(number) && ring.oldest == UInt64(oldest))
            #expect(value(ring[UInt64(oldest)]) == oldest && value(ring[UInt64(number)]) == number)
            #expect(ring[UInt64(oldest - 1)] == nil && ring[UInt64(number + 1)] == nil)
        }
        for revision in ring.oldest...ring.newest { #expect(value(ring[revision]) == Int(revision)) }
    }

    @Test("The cost limit drops old entries but never the newest one")
    func cost() {
        var ring = MutationRing(capacity: 64, costLimit: 100)
        for number in 1...10 { ring.append(entry(number, cost: 30)) }
        #expect(ring.oldest == 8 && ring.newest == 10)
        ring.append(entry(11, cost: 1_000))
        #expect(ring.oldest == 11 && value(ring[11]) == 11)
        ring.append(entry(12, cost: 100))
        #expect(ring.oldest == 12)
        // What was dropped costs nothing any more.
        ring.append(entry(13))
        ring.append(entry(14))
        #expect(ring.oldest == 12 && ring.count == 3)
    }

    @Test("A dropped entry lets go of its values")
    func release() {
        final class Token: Sendable {}
        var ring = MutationRing(capacity: 2, costLimit: .max)
        let weak: Weak<Token>
        do {
            let token = Token()
            weak = Weak(token)
            ring.append(
                LogEntry(
                    first: LoggedMutation(slot: slot, old: 0, new: token), others: [], time: 0, origin: .local,
                    writer: nil, cost: 0))
        }
        #expect(weak.object != nil)
        ring.append(entry(2))
        ring.append(entry(3))
        #expect(weak.object == nil)
    }
}

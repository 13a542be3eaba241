import Testing

@testable import Settle

@Suite struct EventPacingTests {
    @Test("Only a stream of events is paced, and only while it lasts") func stream() {
        var pacing = EventPacing()
        var now = Duration.zero
        /// Looks at events, each a while after the one before.
        func pauses(_ count: Int, after wait: Duration) -> [Bool] {
            (0..<count).map { _ in
                now += wait
                return pacing.looked(at: now)
            }
        }
        #expect(pauses(100, after: .milliseconds(2)).allSatisfy { !$0 }, "each of them is noticed at once")
        #expect(pauses(EventPacing.patience - 1, after: .microseconds(300)).allSatisfy { !$0 }, "a save of a file")
        #expect(pauses(100, after: .microseconds(1_100)).allSatisfy { $0 }, "at the pace of the pauses it continues")
        #expect(pauses(EventPacing.patience, after: .milliseconds(2)).allSatisfy { !$0 }, "it has ended")
    }
}

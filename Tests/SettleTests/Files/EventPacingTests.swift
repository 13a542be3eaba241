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

    @Test("Two processes that answer each other are never paced, and what is paced ends with a change of others")
    func pingPong() {
        var pacing = EventPacing()
        var now = Duration.zero
        /// Looks at events, each 50 µs after the one before.
        func pauses(isForeign: Bool) -> Bool {
            now += .microseconds(50)
            if isForeign { pacing.foundForeignChange() }
            return pacing.looked(at: now)
        }
        let answers = (1...100).map { pauses(isForeign: $0.isMultiple(of: 2)) }
        #expect(!answers.contains(true))
        let foreign = (1...100).map { _ in pauses(isForeign: true) }
        #expect(!foreign.contains(true), "each change of others is noticed at once")
        let own = (1...100).map { _ in pauses(isForeign: false) }
        #expect(own.firstIndex(of: true) == EventPacing.patience && own.last == true)
        let ended = [true, false].map { pauses(isForeign: $0) }
        #expect(ended == [false, false])
    }
}

import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct LockQueuesTests {
    @Test("Tickets become first in the order in which they entered") func order() {
        var lines = LockQueues()
        let tickets = (0..<4).map { _ in lines.enter("a") }
        #expect(tickets.map { lines.isFirst($0) } == [true, false, false, false])
        #expect(lines.leave(tickets[0]) == tickets[1])
        #expect(lines.isFirst(tickets[1]))
        #expect(lines.leave(tickets[1]) == tickets[2])
    }

    @Test("A ticket that leaves from the middle makes no other first") func leaving() {
        var lines = LockQueues()
        let tickets = (0..<3).map { _ in lines.enter("a") }
        #expect(lines.leave(tickets[1]) == nil)
        #expect(lines.leave(tickets[0]) == tickets[2])
        #expect(lines.leave(tickets[0]) == nil, "who has left already is not first")
        #expect(lines.leave(tickets[2]) == nil)
        let later = lines.enter("a")
        #expect(lines.isFirst(later))
    }

    @Test("Each name has its own queue") func names() {
        var lines = LockQueues()
        let first = lines.enter("a")
        let other = lines.enter("b")
        #expect(lines.isFirst(first) && lines.isFirst(other))
        #expect(lines.leave(first) == nil)
        #expect(lines.isFirst(other))
    }
}

@Suite(.timeLimit(.minutes(10))) struct LockBackOffTests {
    @Test("Pauses double from 1 ms to 20 ms and stay there") func pauses() {
        var backOff = BackOff.namedLock(isRemote: false)
        let pauses = (0..<8).map { _ in backOff.next() }
        #expect(pauses == [1, 2, 4, 8, 16, 20, 20, 20].map { .milliseconds($0) })
    }

    @Test("Over a network they go up to 500 ms, and each is shorter by chance, by half at most") func remotePauses() {
        var random = SeededGenerator(seed: 7)
        var shares: Set<Double> = []
        for _ in 0..<20 {
            var backOff = BackOff.namedLock(isRemote: true)
            for longest in [20, 40, 80, 160, 320, 500, 500] {
                let share = backOff.next(random: .random(in: 0...1, using: &random)) / .milliseconds(longest)
                #expect(share > 0.499 && share <= 1)
                shares.insert(share)
            }
        }
        #expect(shares.count > 100)
    }
}

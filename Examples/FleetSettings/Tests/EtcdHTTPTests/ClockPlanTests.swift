import Foundation
import Testing

@testable import fleet

/// The wall clocks of the trial.
@Suite struct ClockPlanTests {
    private func moves(_ seed: UInt64) -> [ClockMove] {
        var plan = ClockPlan(seed: seed, services: 7)
        return (0..<200).map { _ in plan.next() }
    }

    @Test("A seed has the same moves again: of each service, forward and back, by minutes to months")
    func plan() {
        let moves = moves(7)
        #expect(moves == self.moves(7) && moves != self.moves(8))
        #expect(Set(moves.map(\.service)) == Set(0..<7))
        let distances = moves.map { abs($0.ahead) }
        #expect(distances.allSatisfy { $0 >= 60 } && distances.contains { $0 < 86_400 })
        for direction in [1, -1] { #expect(moves.contains { direction * $0.ahead > 30 * 86_400 }) }
    }

    @Test("A clock shows what it is set to")
    func clock() {
        let clock = MovableClock()
        clock.set(ahead: -86_400)
        #expect(abs(clock.time() + 86_400 - Date().timeIntervalSinceReferenceDate) < 3_600)
    }
}

import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct SpinBackOffTests {
    @Test("A waiting thread spins, then yields, then sleeps longer and longer up to a limit")
    func steps() {
        var backOff = SpinBackOff()
        let steps = (0..<200).map { _ in backOff.next() }
        #expect(steps[..<SpinBackOff.spins].allSatisfy { $0 == .spin })
        #expect(steps[SpinBackOff.spins...].prefix(SpinBackOff.yields).allSatisfy { $0 == .yield })
        let sleeps = steps[(SpinBackOff.spins + SpinBackOff.yields)...]
        let durations = sleeps.compactMap { step in if case .sleep(let duration) = step { duration } else { nil } }
        #expect(durations.count == sleeps.count)
        #expect(durations.first == SpinBackOff.shortestSleep && durations.last == SpinBackOff.longestSleep)
        #expect(zip(durations, durations.dropFirst()).allSatisfy { $0 <= $1 })
    }
}

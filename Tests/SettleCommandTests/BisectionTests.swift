import Testing

@testable import SettleCommand

/// Which states a bisection checks, and what it concludes.
@Suite(.timeLimit(.minutes(10))) struct BisectionTests {
    /// Answers until the end.
    ///
    /// - Returns: The end, and the states that were checked.
    private func run(
        _ count: Int, _ verdict: (Int) -> Bisection.Verdict
    ) -> (end: Bisection.Step, checked: [Int]) {
        var search = Bisection(count: count)
        var checked: [Int] = []
        while case .check(let state) = search.next {
            guard (0...count).contains(state), !checked.contains(state) else {
                Issue.record("State \(state) of \(count) is checked after \(checked).")
                break
            }
            checked.append(state)
            search.record(verdict(state), of: state)
        }
        return (search.next, checked)
    }

    @Test("The change is found at each position, with both ends checked first and no more checks than halving takes")
    func positions() {
        for count in 1...130 {
            for change in 1...count {
                let (end, checked) = run(count) { $0 < change ? .good : .bad }
                #expect(end == .found(change: change) && checked.prefix(2) == [count, 0])
                var halvings = 0
                while 1 << halvings < count { halvings += 1 }
                #expect(checked.count <= 2 + halvings, "\(change) of \(count): \(checked)")
            }
        }
    }

    @Test("With any states skipped the change is found, or is among those between two states that are known")
    func skips() {
        let count = 9
        for change in 1...count {
            for pattern in 0..<(1 << (count - 1)) {
                func isSkipped(_ state: Int) -> Bool { (1..<count).contains(state) && pattern >> (state - 1) & 1 == 1 }
                let (end, checked) = run(count) { isSkipped($0) ? .skipped : $0 < change ? .good : .bad }
                // What is known of the others narrows it down to this.
                let good = (0..<change).last { !isSkipped($0) } ?? 0
                let bad = (change...count).first { !isSkipped($0) } ?? count
                let expected = bad - good == 1 ? Bisection.Step.found(change: bad) : .oneOf(good + 1...bad)
                #expect(end == expected, "\(change), \(pattern): \(end) after \(checked)")
            }
        }
    }

    @Test("Skipped states around the middle cost few checks") func skippedMiddle() {
        let (end, checked) = run(1000) { (400...600).contains($0) ? .skipped : $0 < 100 ? .good : .bad }
        #expect(end == .found(change: 100) && checked.count < 16, "\(checked)")
    }

    @Test("Ends that are not as they must be end the search") func ends() {
        #expect(run(5) { _ in .good } == (.newestIsGood, [5]))
        #expect(run(5) { _ in .bad } == (.oldestIsBad, [5, 0]))
        #expect(run(5) { _ in .skipped } == (.endIsUnknown(state: 5), [5]))
        #expect(run(5) { $0 == 5 ? .bad : .skipped } == (.endIsUnknown(state: 0), [5, 0]))
        #expect(run(0) { _ in .bad }.end == .oldestIsBad && run(0) { _ in .good }.end == .newestIsGood)
    }

    @Test("Changes to and fro: one from good to bad is found") func severalChanges() {
        let (end, _) = run(64) { $0 / 8 % 2 == 0 && $0 < 64 ? .good : .bad }
        guard case .found(let change) = end else { return #expect(Bool(false), "\(end)") }
        #expect(change % 16 == 8)
    }
}

import Testing
import TrialChecks

@Suite struct ConfirmingVerdictTests {
    /// One writer that commits twice, for 100 and 200 ms, confirms, counts, and reverts; the last two of which have
    /// nothing to end.
    private var writer: ConfirmingRecord {
        var record = ConfirmingRecord()
        let lines = [
            "try 1 0 100|w0-1", "done|w0-1", "try 2 0 200|w0-2", "done|w0-2", "try 3 1 0|w0-3", "done|w0-3",
            "try 4 3 0|w0-4", "done|w0-4", "try 5 0 100|w0-5", "done|w0-5", "try 6 2 0|w0-6", "done|w0-6",
            "try 7 0 100|w0-7", "done|w0-7", "try 8 1 0|w0-8", "refused|w0-8",
        ]
        for line in lines.compactMap({ Acknowledgement(line: $0) }) { record.add(line) }
        return record
    }

    /// The first two join and are confirmed, the third is reverted, and nobody confirms the fourth.
    private var history: [ConfirmingEntry] {
        [
            ConfirmingEntry(author: "w0-1", time: 0, before: nil, after: 100),
            ConfirmingEntry(author: "w0-2", time: 90_000, before: 100, after: 200),
            ConfirmingEntry(author: "w0-3", time: 250_000, reason: "confirmed"),
            ConfirmingEntry(author: "w0-4", time: 260_000, total: 1),
            ConfirmingEntry(author: "w0-5", time: 300_000, before: 200, after: 500),
            ConfirmingEntry(author: "w0-6", time: 310_000, before: 500, after: 200, reason: "reverted"),
            ConfirmingEntry(author: "w0-7", time: 400_000, before: 200, after: 700),
            ConfirmingEntry(
                author: nil, time: 530_000, before: 700, after: 200, reason: "not confirmed within 0.1 seconds"),
        ]
    }

    private func verdict(
        found: (number: Int?, total: Int) = (200, 1), _ change: (inout [ConfirmingEntry]) -> Void = { _ in }
    ) -> ConfirmingVerdict {
        var history = history
        change(&history)
        return ConfirmingVerdict([writer], history: history, found: found)
    }

    @Test("Nothing is wrong where each commit was confirmed, reverted by hand or by time")
    func intact() {
        let verdict = verdict()
        #expect(verdict.sentences == [])
        #expect((verdict.confirmed, verdict.reverted, verdict.takenBack) == (1, 1, 1))
        #expect(verdict.longestDelay == 30_000)
    }

    @Test("What was acknowledged has to be there, once")
    func lost() {
        #expect(verdict { $0.remove(at: 3) }.lost.count == 1)
        #expect(verdict { $0.insert($0[3], at: 4) }.lost.count == 1)
    }

    @Test("A commit that nobody has confirmed must not stand")
    func standing() {
        let verdict = verdict(found: (700, 1)) { $0.removeLast() }
        #expect(verdict.wrong == ["A commit was neither confirmed nor reverted."])
    }

    @Test("A commit that was confirmed must not be reverted")
    func takenBackAfterAll() {
        let late = ConfirmingEntry(
            author: nil, time: 500_000, before: 200, after: nil, reason: "not confirmed within 0.2 seconds")
        #expect(verdict { $0.insert(late, at: 4) }.wrong.count > 0)
    }

    @Test("The number from before the first of two joined commits is restored")
    func joined() {
        let verdict = verdict(found: (200, 1)) { history in
            history.insert(ConfirmingEntry(author: "w0-5", time: 420_000, before: 700, after: 500), at: 7)
            history.remove(at: 5)
            history.remove(at: 4)
            history[6].time = 600_000
            history[6].before = 500
            history[6].after = 700
        }
        #expect(verdict.wrong.contains("- restored 700, not 200."))
    }

    @Test("Values, counters and moments have to be those of the rules")
    func wrong() {
        #expect(verdict(found: (700, 1)).wrong == ["700 was found, not 200."])
        #expect(verdict(found: (200, 2)).wrong == ["The counter is 2, not 1."])
        #expect(verdict { $0[7].time = 450_000 }.untimely.count == 1)
        #expect(verdict { $0[2].time = 900_000 }.untimely.count == 1)
        #expect(verdict { $0[3].total = 2 }.wrong.count == 2)
        #expect(verdict { $0[7].reason = "" }.wrong.count > 0)
        #expect(verdict { $0[2].author = "w0-8" }.wrong.contains("The history has w0-8, which had nothing to end."))
    }

    @Test("An entry is one line")
    func lines() {
        for entry in history { #expect(ConfirmingEntry(entry.acknowledgement) == entry) }
    }
}

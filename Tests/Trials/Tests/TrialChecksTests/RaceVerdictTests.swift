import Testing
import TrialChecks

@Suite struct RaceVerdictTests {
    private func record(_ lines: String...) -> WriterRecord {
        var record = WriterRecord()
        for line in lines.compactMap({ Acknowledgement(line: $0) }) { record.add(line) }
        return record
    }

    @Test("Every acknowledged addition must count, and every key must have its last value")
    func exact() {
        let records = [record("try 1", "done 1", "try 2", "done 2"), record("try 1", "done 1")]
        #expect(RaceVerdict(records, keys: [2, 1], counter: 3) == RaceVerdict())
        #expect(RaceVerdict(records, keys: [2, 1], counter: 2).lostUpdates == 1)
        #expect(RaceVerdict(records, keys: [2, 1], counter: 4).inventedUpdates == 1)
        #expect(RaceVerdict(records, keys: [1, 0], counter: 3).lostKeys == 2)
        #expect(RaceVerdict(records, keys: [3, 1], counter: 3).lostKeys == 1)
    }

    @Test("A step cut off by a kill may have been made or not")
    func cut() {
        let records = [record("try 1", "done 1", "try 2")]
        #expect(RaceVerdict(records, keys: [1], counter: 1) == RaceVerdict())
        #expect(RaceVerdict(records, keys: [2], counter: 1) == RaceVerdict())
        #expect(RaceVerdict(records, keys: [2], counter: 2) == RaceVerdict())
        #expect(RaceVerdict(records, keys: [0], counter: 3) != RaceVerdict())
    }

    @Test("A value lost when the file is opened again counts even if the final value is right")
    func opened() {
        let intact = record("found 0", "try 1", "found 0", "try 2", "done 2", "found 2", "try 3", "found 3", "done 3")
        #expect(RaceVerdict([intact], keys: [3], counter: 3) == RaceVerdict())
        let lossy = record("try 1", "done 1", "try 2", "done 2", "found 1", "try 3", "done 3")
        let verdict = RaceVerdict([intact, lossy], keys: [3, 3], counter: 6)
        #expect(verdict.losses == ["The key of writer 1 lost a value. It has step 1, not one of 2 to 2."])
    }
}

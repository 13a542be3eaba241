import Testing
import TrialChecks

@Suite struct ClusterVerdictTests {
    private func lines(_ text: String) -> [Acknowledgement] {
        text.split(separator: ";").compactMap { Acknowledgement(line: $0) }
    }

    private let log = [
        ClusterVerdict.Stored(revision: 5, register: 0, value: 11),
        ClusterVerdict.Stored(revision: 7, register: 0, value: 21),
    ]

    private func verdict(
        _ clients: String..., log: [ClusterVerdict.Stored]? = nil, final: Int = 21
    ) -> ClusterVerdict {
        ClusterVerdict(clients.map(lines), log: log ?? self.log, finals: ["all": [0: final]], end: 100)
    }

    private let first = "began 4;call 0 1|replace 11;answer 0 2;saw 3 5;saw 9 7"
    private let second = "began 4;call 0 5|replace 21;answer 11 6;saw 3 5;saw 9 7"

    @Test("What was acknowledged, stored and received is explained")
    func explained() {
        #expect(verdict(first, second).sentences == [])
    }

    @Test("An acknowledged value that was never stored is lost")
    func lost() {
        #expect(verdict(first, second, "call 1 7|write 31;answer 31 8").lost.count == 1)
    }

    @Test("A value without an answer may be stored or not")
    func unanswered() {
        #expect(verdict(first, "call 0 5|replace 21", "call 0 5|replace 31").sentences == [])
    }

    @Test("A value that was stored twice is doubled")
    func doubled() {
        let twice = log + [ClusterVerdict.Stored(revision: 9, register: 0, value: 21)]
        #expect(verdict(first, second, log: twice).doubled.count == 1)
    }

    @Test("A value that was refused, or that nobody has written, must not be stored")
    func invented() {
        #expect(verdict(first, "call 0 5|replace 21;refused 6").invented.count == 1)
        #expect(verdict(first).invented.count == 1)
    }

    @Test("An end that is not that of the history is noticed")
    func finals() {
        #expect(verdict(first, second, final: 11).invented.count == 1)
    }

    @Test("A follower that received too little, something twice or something else has a gap")
    func gaps() {
        #expect(verdict(first, "began 4;call 0 5|replace 21;answer 11 6;saw 9 7").gaps.count == 1)
        #expect(verdict(first, second + ";saw 9 7").gaps.count == 1)
        #expect(verdict(first, "began 4;call 0 5|replace 21;answer 11 6;saw 3 5").gaps.count == 1)
        #expect(verdict(first, second + ";hole 0|a snapshot").gaps.count == 1)
    }

    @Test("A commit that has read an older value has no explanation")
    func stale() {
        #expect(verdict(first, "call 0 5|replace 21;answer 0 6").unexplained.count == 1)
    }

    // MARK: Equal values

    /// Register 3 becomes 1, 2 and 1 again.
    private let equalLog = [(5, 1), (7, 2), (9, 1)].map {
        ClusterVerdict.Stored(revision: $0.0, register: 3, value: $0.1)
    }

    private func equalVerdict(_ clients: String..., log: [ClusterVerdict.Stored]? = nil) -> ClusterVerdict {
        ClusterVerdict(
            clients.map(lines), log: log ?? equalLog, repeating: [3], finals: ["all": [3: 1]], end: 100)
    }

    private let one = "call 3 1|replace 1;answer 0 2;call 3 10|replace 1;answer 2 11;call 3 12|replace 1;answer 1 13"
    private let other = "call 3 5|replace 2;answer 1 6;call 3 20|read;answer 1 21"

    @Test("Equal values are explained, also if a commit writes what it has found")
    func equalValues() {
        #expect(equalVerdict(one, other).sentences == [])
    }

    @Test("An equal value that was stored too seldom is lost, and one that was stored too often is doubled")
    func countsOfEqualValues() {
        #expect(equalVerdict(one, other, log: Array(equalLog.dropLast())).lost.count == 1)
        let twice = equalLog + [ClusterVerdict.Stored(revision: 11, register: 3, value: 1)]
        #expect(equalVerdict(one, other, log: twice).doubled.count == 1)
        #expect(equalVerdict(one, other + ";call 3 30|replace 1", log: twice).doubled == [])
        #expect(equalVerdict(one, other + ";call 3 30|replace 1;refused 31", log: twice).doubled.count == 1)
    }

    @Test("A commit that wrote what it had known instead of what is stored has no explanation")
    func staleEqualValue() {
        // It has found 1 long after 2 was stored.
        let stale = "call 3 1|replace 1;answer 0 2;call 3 10|replace 1;answer 1 11"
        let verdict = equalVerdict(stale, "call 3 5|replace 2;answer 1 6", log: Array(equalLog.prefix(2)))
        #expect(verdict.unexplained.count == 1)
    }

    @Test("A holder of a lock whose commit finds something else than the holder has read was overtaken")
    func overtaken() {
        #expect(equalVerdict(one, other + ";locked 3 1 1").overtaken == [])
        #expect(equalVerdict(one, other + ";locked 3 1 2").overtaken.count == 1)
    }
}

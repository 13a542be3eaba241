import Testing
import TrialChecks

@Suite("ClusterVerdict")
struct ClusterVerdictTests {
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

    @Test("What was acknowledged, stored and told is explained")
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

    @Test("A follower that was told too little, twice or something else has a gap")
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
}

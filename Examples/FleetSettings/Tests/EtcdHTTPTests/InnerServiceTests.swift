import Testing
import TrialChecks

@testable import fleet

/// The service of the trial whose prefix is within that of the others.
@Suite struct InnerServiceTests {
    private let lines = [
        Acknowledgement("began", [4]), Acknowledgement("call", [0, 5], text: "replace 70000001"),
        Acknowledgement("answer", [0, 6]), Acknowledgement("saw", [7, 6]), Acknowledgement("locked", [5, 3, 3]),
    ]
    /// What service 1 and the inner service have stored.
    private let log = [
        ClusterVerdict.Stored(revision: 5, register: 0, value: 10_000_001),
        ClusterVerdict.Stored(revision: 6, register: TrialGroup.count, value: 70_000_001),
    ]

    private func verdict(of lines: [Acknowledgement]) -> ClusterVerdict {
        ClusterVerdict([lines], log: InnerService.log(log), finals: ["inner": [0: 70_000_001]], end: 100)
    }

    @Test("Among the calls of the others, its registers have other numbers, and what it has seen does not count")
    func calls() {
        #expect(
            InnerService.calls(lines) == [
                Acknowledgement("call", [TrialGroup.count, 5], text: "replace 70000001"),
                Acknowledgement("answer", [0, 6]), Acknowledgement("locked", [TrialGroup.count + 5, 3, 3]),
            ])
    }

    @Test("A commit of it that is not in the history of the others is lost")
    func lost() {
        let finals = ["Service 1": [0: 10_000_001]]
        let others = [Acknowledgement("call", [0, 3], text: "write 10000001")]
        let clients = [InnerService.calls(lines), others]
        let verdict = ClusterVerdict(clients, log: Array(log.prefix(1)), finals: finals, end: 100)
        #expect(verdict.lost.count == 1)
    }

    @Test("It must receive what it has stored, and nothing of the others")
    func follower() {
        #expect(verdict(of: lines).sentences == [])
        #expect(verdict(of: lines.filter { $0.word != "saw" }).gaps.count == 1)
        #expect(verdict(of: lines + [Acknowledgement("saw", [8, 5])]).gaps.count == 1)
    }

    @Test("Each of the others must report its prefix")
    func report() {
        let issue = "The prefix “/fleet/trial/inner/” is within “/fleet/trial/”, and other clients use it."
        let services = [[Acknowledgement("issue", text: "another"), Acknowledgement("issue", text: issue)], lines]
        let sentences = InnerService.unreported(by: services)
        #expect(sentences.count == 1 && sentences.first?.hasPrefix("Service 2 ") == true)
    }
}

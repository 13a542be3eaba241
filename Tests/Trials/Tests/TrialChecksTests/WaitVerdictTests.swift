import Testing
import TrialChecks

@Suite struct WaitVerdictTests {
    private func lines(_ text: String) -> [Acknowledgement] {
        text.split(separator: ";").compactMap { Acknowledgement(line: $0) }
    }

    private func verdict(_ services: String...) -> WaitVerdict {
        WaitVerdict(writer: lines("call 6 10|write 7;answer 7 20;waited 7 10 20"), services: services.map(lines))
    }

    @Test("A value that is in force everywhere before the writer is informed is right, and so is a newer one")
    func right() {
        let verdict = verdict("began 4;force 1 6;force 14 6;force 19 7;force 30 7", "began 4;force 2 6;force 21 8")
        #expect(verdict.count == 1 && verdict.sentences == [])
    }

    @Test("A machine that has an older value after the writer was informed is named")
    func wrong() {
        let verdict = verdict("began 4;force 1 6;force 19 7", "began 4;force 1 6;force 5021 6;force 5022 7")
        #expect(verdict.sentences.count == 1)
        #expect(verdict.sentences.first?.contains("service 2 had 6") == true)
    }

    @Test("A machine that has begun after the write had, with its last known values, was not asked")
    func laterLife() {
        #expect(verdict("began 4;force 1 6;force 19 7;again 4;force 25 6;force 26 7").sentences == [])
        #expect(verdict("began 4;force 1 6;again 4;force 9 6;force 25 6").sentences.count == 1)
    }

    @Test("A writer that was not informed is not checked")
    func uninformed() {
        let verdict = WaitVerdict(writer: lines("call 6 10|write 7"), services: [lines("began 4;force 1 6;force 30 6")])
        #expect(verdict.count == 0 && verdict.sentences == [])
    }
}

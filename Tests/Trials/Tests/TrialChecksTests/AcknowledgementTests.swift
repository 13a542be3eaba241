import Testing
import TrialChecks

@Suite struct AcknowledgementTests {
    @Test("An acknowledgement survives being written and read")
    func roundTrip() {
        for line in [
            Acknowledgement("step", [1, -2]), Acknowledgement("issue", text: "“a|b” is = c."), Acknowledgement("end"),
        ] {
            #expect(Acknowledgement(line: line.line) == line)
        }
        #expect(Acknowledgement("issue", text: "two\nlines").line == "issue|two lines")
    }

    @Test("A line cut off by a kill does not count")
    func cut() {
        #expect(Acknowledgement.all(in: "done 1\ndone 2\ndone 3").map(\.numbers) == [[1], [2]])
        #expect(Acknowledgement.all(in: "don").isEmpty)
    }

    @Test("Operations survive being written and read, and a call without an answer stays open")
    func histories() {
        for operation: RegisterOperation in [.read, .write(-3), .exchange(1, 2), .increment] {
            #expect(RegisterSpelling.operation(RegisterSpelling.text(operation)) == operation)
        }
        var histories = RegisterHistories()
        histories.add(
            Acknowledgement.all(in: "call 2 10|increment\nanswer 1 11\ncall 0 12|write 5\nissue|x\n"))
        #expect(
            histories.byRegister == [
                2: [RecordedOperation(.increment, called: 10, answer: .init(1, at: 11))],
                0: [RecordedOperation(.write(5), called: 12, answer: nil)],
            ])
    }
}

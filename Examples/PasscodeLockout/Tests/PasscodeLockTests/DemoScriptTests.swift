import Testing

@testable import passcode

@Suite(.timeLimit(.minutes(10))) struct DemoScriptTests {
    @Test("The demonstration runs to its end, and the lock does what its text says")
    func runs() async throws {
        var lines: [String] = []
        try await DemoScript(say: { lines.append($0) }).run()
        #expect(lines.count { $0.hasPrefix("\n") } == 10)
        #expect(lines.last?.contains("whole story") == true)
    }

    @Test(
        "Durations are spelled in their two largest units, rounded up",
        arguments: [
            (Duration.zero, "0 s"), (.milliseconds(1), "1 s"), (.seconds(60), "1 min"), (.seconds(299), "4 min 59 s"),
            (.seconds(3_600 + 5), "1 h"), (.seconds(90_000), "1 d 1 h"), (.seconds(3_285 * 86_400), "3285 d"),
            (.seconds(100_000_000_000_000_000_000.0), "1157407407407407 d 9 h"),
        ])
    func words(_ duration: Duration, _ words: String) {
        #expect(duration.inWords == words)
    }
}

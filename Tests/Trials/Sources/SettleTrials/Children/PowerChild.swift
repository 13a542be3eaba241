/// Commits numbers with texts of changing lengths until commits have failed several times.
struct PowerChild: ChildRole {
    var place: ChildPlace
    var failures: Int

    static func payload(_ number: Int) -> String {
        String(repeating: String(number % 10), count: number * 7_919 % 3_000)
    }

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let contender = try await place.open()
        acknowledgements.add("found", try contender.number("counter"))
        try await contender.writeSecret(1)
        say("ready")
        var (number, failed) = (0, 0)
        while failed < failures {
            number += 1
            acknowledgements.add("try", number)
            do {
                try await contender.commit(["counter": number], texts: ["payload": Self.payload(number)])
                acknowledgements.add("done", number)
            } catch {
                failed += 1
                acknowledgements.add("refused", number, text: "\(error)")
            }
        }
        say("failed")
        _ = readLine()
    }
}

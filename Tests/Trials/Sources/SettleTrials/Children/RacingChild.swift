/// Writes its own key, and adds one to a counter that it shares with other processes.
struct RacingChild: ChildRole {
    var place: ChildPlace
    var writer: Int
    var firstStep: Int
    var lastStep: Int

    private static let stepsBetweenOpenings = 4

    static func key(ofWriter writer: Int) -> String { "writers.number\(writer)" }

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        var contender = try await place.open()
        acknowledgements.add("found", try contender.number(Self.key(ofWriter: writer)))
        try await contender.writeSecret(firstStep)
        say("ready")
        for step in stride(from: firstStep, through: lastStep, by: 1) {
            acknowledgements.add("try", step)
            try contender.write([Self.key(ofWriter: writer): step])
            try await contender.increment("counter", with: [:])
            acknowledgements.add("done", step)
            guard step.isMultiple(of: Self.stepsBetweenOpenings) else { continue }
            // Losses when one of many writers closes the file would otherwise show only at the end.
            _ = try await contender.close()
            contender = try await place.open()
            acknowledgements.add("found", try contender.number(Self.key(ofWriter: writer)))
        }
        _ = try await contender.close()
    }
}

/// Writes a key of its own, and adds one to a counter that it shares with other processes.
struct RacingChild: ChildRole {
    var place: ChildPlace
    var writer: Int
    var firstStep: Int
    var lastStep: Int

    static func key(ofWriter writer: Int) -> String { "writers.number\(writer)" }

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let contender = try await place.open()
        say("ready")
        for step in stride(from: firstStep, through: lastStep, by: 1) {
            acknowledgements.add("try", step)
            try contender.write([Self.key(ofWriter: writer): step])
            try await contender.increment("counter", with: [:])
            acknowledgements.add("done", step)
        }
        _ = try await contender.close()
    }
}

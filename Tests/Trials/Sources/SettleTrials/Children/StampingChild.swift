/// Writes the time at intervals.
struct StampingChild: ChildRole {
    var place: ChildPlace
    var writes: Int

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let contender = try await place.open()
        try await contender.commit(["stamp": 1], texts: [:])
        try await contender.writeSecret(1)
        say("ready")
        _ = readLine()
        for _ in 0..<writes {
            // Longer than any delivery, so that no stamp is overtaken by the next.
            try await Task.sleep(for: .milliseconds(15))
            try contender.write(["stamp": Int(MonotonicTime.now())])
        }
        try await contender.flush()
        say("done")
        _ = readLine()
    }
}

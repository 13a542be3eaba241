/// Commits growing values until the disk is full, writes without waiting, then flushes once room has been made.
struct DiskChild: ChildRole {
    var place: ChildPlace
    var step: Int
    var failures: Int

    static let note = "written while there was room"

    static func payload(_ number: Int, step: Int) -> String {
        String(repeating: String(number % 10), count: number * step)
    }

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let contender = try await place.open()
        try await contender.commit(["counter": 0], texts: ["note": Self.note])
        acknowledgements.add("done", 0)
        try await contender.writeSecret(1)
        say("ready")
        var number = 0
        var failed = 0
        while failed < failures {
            number += 1
            acknowledgements.add("try", number)
            do {
                let payload = Self.payload(number, step: step)
                try await contender.commit(["counter": number], texts: ["payload": payload])
                acknowledgements.add("done", number)
            } catch {
                failed += 1
                acknowledgements.add("refused", number, text: "\(error)")
            }
            // Time for the parent to fill the disk.
            MonotonicTime.pause(microseconds: 500)
        }
        try contender.write(["single": number])
        say("full")
        _ = readLine()
        try await contender.flush()
        acknowledgements.add("flushed", number)
        say("flushed")
        _ = readLine()
    }
}

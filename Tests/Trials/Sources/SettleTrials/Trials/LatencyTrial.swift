import TrialChecks

/// Measures how long a write takes to reach a task of another process. There is no requirement.
struct LatencyTrial: Trial {
    let name = "a write until another process has it"
    let isForAll = false

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        let folder = try bench.makeFolder("latency")
        let received = bench.place(contender, in: folder, named: "received")
        var problems = Problems()
        let writes = bench.size.latencySamples
        var writer = try start(
            .stamp(StampingChild(place: bench.place(contender, in: folder, named: "stamped"), writes: writes)))
        if writer.readLine() != "ready" { problems.add("The writer could not start.", .failure) }
        let reader = try start(.receive(ReceivingChild(place: received)))
        if reader.readLine() != "ready" { problems.add("The reader could not start.", .failure) }
        writer.say("go")
        _ = writer.readLine()
        // The last write may still be on its way.
        MonotonicTime.pause(microseconds: 300_000)
        reader.kill()
        writer.say("end")
        _ = writer.wait()
        var ages = Distribution()
        for line in AcknowledgementFile.read(received.acknowledgements) where line.word == "seen" {
            ages.add(line.numbers.first ?? 0)
        }
        return TrialReport(
            name, contender.rawValue,
            figures: [
                Figure("writes", writes), Figure("seen", ages.count), .time("median", ages.median),
                .time("99th percentile", ages.quantile(0.99)), .time("worst", ages.worst),
                .loss("failures", problems.count(of: .failure)),
            ], problems: problems.sentences)
    }
}

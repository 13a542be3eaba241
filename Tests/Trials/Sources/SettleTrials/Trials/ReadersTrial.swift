import TrialChecks

/// Other programs read the file continuously while it is written.
struct ReadersTrial: Trial {
    let name = "readers of the file during writes"
    let isForAll = false

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        let folder = try bench.makeFolder("readers")
        var problems = Problems()
        let writer = try start(.rewrite(RewritingChild(place: bench.place(contender, in: folder, named: "rewriter"))))
        if writer.readLine() != "ready" { problems.add("The writer could not start.", .failure) }
        let milliseconds = bench.size.readingMilliseconds
        let counts = try Lanes.run(2) { lane in
            let place = bench.place(contender, in: folder, named: "reader-\(lane)")
            var reader = try start(.read(ReadingChild(place: place, milliseconds: milliseconds)))
            _ = reader.wait()
            return AcknowledgementFile.read(place.acknowledgements).last?.numbers ?? []
        }
        writer.kill()
        func sum(_ index: Int) -> Int { counts.reduce(0) { $0 + (index < $1.count ? $1[index] : 0) } }
        // Readers that have seen few versions have proved nothing.
        if sum(1) < 10 { problems.add("The readers saw only \(sum(1)) versions of the file.", .failure) }
        return TrialReport(
            name, contender.rawValue,
            figures: [
                Figure("reads", sum(0)), Figure("versions seen", sum(1)), .loss("torn pairs", sum(2)),
                .loss("older than before", sum(3)), .loss("missing or unparsable", sum(4)),
                .loss("failures", problems.count(of: .failure)),
            ], problems: problems.sentences)
    }
}

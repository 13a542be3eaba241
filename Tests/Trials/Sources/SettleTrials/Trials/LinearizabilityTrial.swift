import TrialChecks

/// Several processes read, write, exchange and increment the same numbers with `commit`; a single order must explain
/// all their answers.
struct LinearizabilityTrial: Trial {
    let name = "linearizable commits"
    let isForAll = false
    private static let processes = 4

    func run(_ contender: ContenderKind, on bench: TrialBench) throws -> TrialReport {
        var operations = 0
        var cut = 0
        var unexplained = 0
        var problems = Problems()
        for round in 0..<bench.size.histories {
            // In every second history one process is killed in the middle.
            let (histories, failures) = try record(round, killsOne: !round.isMultiple(of: 2), contender, on: bench)
            operations += histories.count
            cut += histories.byRegister.values.reduce(0) { $0 + $1.count { $0.answer == nil } }
            for register in histories.unexplained {
                unexplained += 1
                problems.add("No order explains history \(round), \(register).")
            }
            for failure in failures { problems.add(failure, .failure) }
        }
        return TrialReport(
            name, contender.rawValue,
            figures: [
                Figure("histories", bench.size.histories), Figure("operations", operations),
                Figure("cut by a kill", cut), .loss("registers without an explanation", unexplained),
                .loss("failures", problems.count(of: .failure)),
            ], problems: problems.sentences)
    }

    private func record(
        _ round: Int, killsOne: Bool, _ contender: ContenderKind, on bench: TrialBench
    ) throws -> (RegisterHistories, failures: [String]) {
        let folder = try bench.makeFolder("registers-\(round)")
        var random = bench.random(for: "registers-\(round)")
        let delay = Int.random(in: 2_000...30_000, using: &random)
        let seeds = (0..<Self.processes).map { _ in random.next() }
        let gate = Gate(count: Self.processes)
        let lanes = try Lanes.run(Self.processes) { process in
            let place = bench.place(contender, in: folder, named: "register-\(round)-\(process)")
            let role = RegisterChild(
                place: place, process: process, seed: seeds[process], operations: 60, registers: 3)
            var child = try start(.register(role))
            _ = child.readLine()
            // All at once; otherwise the first would be done before the last has started.
            gate.pass()
            child.say("go")
            if killsOne, process == 0 {
                MonotonicTime.pause(microseconds: delay)
                child.kill()
            }
            let ending = child.wait()
            let lines = AcknowledgementFile.read(place.acknowledgements)
            var failures = lines.filter { $0.word == "failed" }.map { $0.text ?? "" }
            if ending != .success, ending != .killed { failures.append("A process ended with \(ending).") }
            return (lines, failures)
        }
        var histories = RegisterHistories()
        for lane in lanes { histories.add(lane.0) }
        return (histories, lanes.flatMap(\.1))
    }
}

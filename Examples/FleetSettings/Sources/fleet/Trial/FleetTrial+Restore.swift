import FleetMachines
import TrialChecks

/// The last act of a run: restoring a snapshot, and with it losing every later commit.
extension FleetTrial {
    /// Restores a snapshot of a moment ago while the services are away. Once they are back, they must have its values,
    /// and continue as on a new cluster.
    ///
    /// With every second seed, the cluster has more revisions than the lost history when they are back.
    ///
    /// - Returns: The promises that were broken, as sentences.
    func restoreSnapshot() async throws -> [String] {
        let snapshot = try cluster.saveSnapshot()
        // This is lost.
        try await work(from: 5_000_000, milliseconds: 1_000)
        try await waitForEnds(of: 2, in: services)
        let lost = try await etcd.revision()
        for service in services { try service.cut() }
        try cluster.restore(snapshot)
        try await cluster.ready()
        // Connections to the members of before fail at their next use.
        _ = await MonotonicTime.wait(atMost: .seconds(30)) { (try? await etcd.revision()) != nil }
        if seed.isMultiple(of: 2) {
            while try await etcd.revision() <= lost { try await elsewhere.put("a", "1") }
        }
        for service in services { try service.cut(false) }
        let values = try await storedRegisters()
        var problems: [String] = []
        for service in services where try await !hasCaughtUp(service, with: values) {
            problems.append("Service \(service.number) does not have the values of the restored snapshot, \(values).")
        }
        return problems + (try await checkNewHistory(values))
    }

    private func work(from first: Int, milliseconds: Int) async throws {
        let end = MonotonicTime.now() + milliseconds * 1_000_000
        for service in services { service.say("work", service.number * 10_000_000 + first, end) }
    }

    /// The values of the registers in the cluster.
    private func storedRegisters() async throws -> [Int] {
        var values: [Int] = []
        for key in TrialGroup.keys { values.append(try await etcd.value(at: key).flatMap { Int($0) } ?? 0) }
        return values
    }

    private func hasCaughtUp(_ service: ServiceProcess, with values: [Int]) async throws -> Bool {
        try await MonotonicTime.wait(atMost: .seconds(60)) { try await registers(of: service) == values }
    }

    /// The services work again, and what they do is checked with the restored values as its beginning.
    private func checkNewHistory(_ values: [Int]) async throws -> [String] {
        let revision = try await etcd.revision()
        let starts = services.map(\.lines.count)
        // As if another client had stored the restored values.
        var known: [Acknowledgement] = []
        var log: [ClusterVerdict.Stored] = []
        for (register, value) in values.enumerated() where value != 0 {
            let time = MonotonicTime.now()
            known.append(Acknowledgement("call", [register, time], text: RegisterSpelling.text(.replace(value))))
            known.append(Acknowledgement("answer", [0, time]))
            log.append(ClusterVerdict.Stored(revision: revision, register: register, value: value))
        }
        try await work(from: 6_000_000, milliseconds: 2_000)
        try await waitForEnds(of: 3, in: services)
        log += Self.stored(in: try await etcd.events(from: revision + 1))
        let finals = try await finals(after: log)
        let lines = zip(services, starts).map { service, start in
            // Changes that delivered the restored values may still arrive.
            let new = service.lines.dropFirst(start).filter { line in
                line.word != "hole" && (line.word != "saw" || line.numbers[1] > revision)
            }
            return [Acknowledgement("began", [revision])] + new
        }
        let open = services.indices.flatMap { Self.open(services[$0].lines.prefix(starts[$0])) }
        let verdict = ClusterVerdict(
            [known] + open.map { [$0] } + lines, log: log, repeating: TrialGroup.repeating, finals: finals,
            end: MonotonicTime.now())
        return verdict.sentences.map { "After a snapshot was restored: \($0)" }
    }

    /// The calls of a service since its last answer, whose outcomes it does not know: they may be stored later.
    private static func open(_ lines: some Sequence<Acknowledgement>) -> [Acknowledgement] {
        var calls: [Acknowledgement] = []
        for line in lines {
            switch line.word {
            case "call": calls.append(line)
            case "answer": calls = []
            case "refused": _ = calls.popLast()
            default: break
            }
        }
        return calls
    }
}

import FleetMachines
import Foundation
import TrialChecks

/// What must hold at the end.
extension Demonstration {
    func check() async throws -> Bool {
        Self.say("\nAt the end:")
        let events = try await etcd.events(from: beginning + 1)
        let revisions = Set(events.filter { !$0.key.hasPrefix("$") }.map(\.revision)).sorted()
        guard let last = revisions.last else { throw MachineError("Nothing was stored.") }
        let ledger = Self.numbers(events.last { $0.key == "ledger" }?.value ?? "[]")
        return try await [
            checkCommits(ledger), checkFollowers(revisions, last: last), checkValues(ledger),
        ].allSatisfy { $0 }
    }

    private func checkCommits(_ ledger: [Int]) -> Bool {
        let lines = services.flatMap(\.lines)
        let acknowledged = lines.filter { $0.word == "done" && $0.numbers[0] > 100_000 }.map { $0.numbers[0] }
        let called = Swift.Set(lines.filter { $0.word == "called" }.map { $0.numbers[0] })
        let lost = Swift.Set(acknowledged).subtracting(ledger)
        let isDoubled = Swift.Set(ledger).count != ledger.count
        let invented = Swift.Set(ledger).subtracting(called)
        return report(
            lost.isEmpty && !isDoubled && invented.isEmpty,
            "all \(acknowledged.count) acknowledged commits are there, each once",
            "lost: \(lost.sorted()), doubled: \(isDoubled), made by nobody: \(invented.sorted())")
    }

    private func checkFollowers(_ revisions: [Int], last: Int) async throws -> Bool {
        var isGood = true
        for service in services {
            _ = await MonotonicTime.wait(atMost: .seconds(30)) {
                service.lines.contains { $0.word == "saw" && $0.numbers[1] >= last }
            }
            let lines = service.lines
            let began = lines.first { $0.word == "began" }?.numbers[0] ?? 0
            let seen = lines.filter { $0.word == "saw" }.map { $0.numbers[1] }
            let holes = lines.filter { $0.word == "hole" }.compactMap(\.text)
            let expected = revisions.filter { $0 > began }
            guard seen != expected || !holes.isEmpty else { continue }
            let missing = Swift.Set(expected).subtracting(seen).sorted()
            isGood = report(
                false, "",
                "service \(service.number) has seen \(seen.count) of \(expected.count) revisions, "
                    + "without \(missing.prefix(5)); \(holes.first ?? "")")
        }
        if isGood {
            _ = report(
                true, "each of the six services has seen all \(revisions.count) revisions, once and in order", "")
        }
        return isGood
    }

    private func checkValues(_ ledger: [Int]) async throws -> Bool {
        var different: [Int] = []
        let first = try await look(services[0])
        for service in services {
            let own = try await look(service)
            if own != first || own?.text != "\(ledger)" { different.append(service.number) }
        }
        return report(
            different.isEmpty, "all six have the same values as the cluster",
            "services \(different) end with other values than the cluster")
    }

    /// Asks a service what it has in force: the limits, and the ledger as a text.
    func look(_ service: ServiceProcess) async throws -> Acknowledgement? {
        let before = service.lines.count
        service.say("look")
        try await service.wait("what it has") { $0.dropFirst(before).contains { $0.word == "ledger" } }
        return service.lines.last { $0.word == "ledger" }
    }

    func report(_ isGood: Bool, _ good: String, _ bad: String) -> Bool {
        Self.say(isGood ? "  yes  \(good)" : "  NO   \(bad)")
        return isGood
    }

    private static func numbers(_ json: String) -> [Int] {
        json.split { !$0.isNumber }.compactMap { Int($0) }
    }
}

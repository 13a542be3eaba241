import FleetMachines
import Foundation
import Settle
import TrialChecks

/// What happens to the fleet, one after the other.
extension Demonstration {
    /// A limit is changed on one.
    func changeLimit() async throws {
        Self.say("\nService 1 commits limits.requests = 500:")
        // The first commit also opens connections.
        try await commit("limit", 400, on: services[0])
        let before = services[0].lines.count
        try await commit("limit", 500, on: services[0])
        guard let called = services[0].lines[before...].first(where: { $0.word == "called" })?.numbers[1],
            let done = services[0].lines[before...].first(where: { $0.word == "done" })?.numbers[1]
        else { return }
        Self.say("  a majority has it     \(Self.span(done - called)) after the call")
        let revision = try await newestRevision()
        for service in services.dropFirst() {
            let time = try await sight(of: revision, by: service)
            Self.say("  service \(service.number) has it      \(Self.span(time - called)) after the call")
        }
        Self.say("  what `fleet set --wait 5s` says:")
        try await showMachines(after: called, atMost: .seconds(5))
    }

    /// What is in force where, as of the newest change.
    private func showMachines(after start: Int? = nil, atMost limit: Duration) async throws {
        let revision = try await newestRevision()
        let seen = services[0].lines.last { $0.word == "saw" && $0.numbers[1] == revision }
        guard let token = seen?.text?.split(separator: " ").first.flatMap({ ChangeToken(String($0)) }) else {
            return Self.say("    NO: service 1 has not seen revision \(revision).")
        }
        let machines = try await Machines.wait(for: token, in: storage, atMost: limit)
        for line in machines.lines { Self.say("    \(line)") }
        if let start, machines.isInForceEverywhere { Self.say("    \(Self.since(start)) after the call") }
    }

    /// The leader is killed in the middle of a stream of commits.
    func killLeader() async throws {
        Self.say("\nServices 1 and 2 commit \(commits) times each:")
        let writers = [services[0], services[1]]
        let victim = commits / 3
        let started = MonotonicTime.now()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in writers {
                group.addTask {
                    for number in 1...self.commits {
                        let id = writer.number * 100_000 + number
                        writer.say("append", id)
                        try await writer.wait("a commit has ended") { lines in
                            lines.last { $0.word == "done" || $0.word == "failed" }?.numbers[0] == id
                        }
                        if writer.number == 1, number == victim, let leader = try self.cluster.leader() {
                            self.cluster.kill(leader)
                            Self.say("  the leader, node \(leader + 1), is killed after \(Self.since(started))")
                            Task.detached {
                                try await Task.sleep(for: .seconds(3))
                                try self.cluster.start(leader)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let done = writers.flatMap(\.lines).filter { $0.word == "done" && $0.numbers[0] > 100_000 }
        let failed = writers.flatMap(\.lines).filter { $0.word == "failed" }
        let times = done.map { $0.numbers[1] }.sorted()
        let gap = zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? 0
        Self.say("  \(done.count) were acknowledged, \(failed.count) ended with an error, in \(Self.since(started))")
        if let reason = failed.first?.text { Self.say("  such as: \(reason)") }
        Self.say("  the longest time without a write was \(Self.span(gap))")
    }

    /// A service is cut off, and let back.
    func cutOff() async throws {
        let lonely = services[5]
        Self.say("\nService 6 is \(network == nil ? "stopped" : "cut off from the network"):")
        try lonely.cut()
        for number in 1...10 { try await commit("append", 600_000 + number, on: services[1]) }
        if network != nil {
            lonely.say("burst", 42)
            let before = lonely.lines.count
            lonely.say("limit", 900)
            try await lonely.wait("its commit has ended") { $0[before...].contains { $0.word == "failed" } }
            let reason = lonely.lines[before...].last { $0.word == "failed" }?.text ?? ""
            Self.say("  its commit fails: \(reason)")
            Self.say("  its plain write limits.burst = 42 stays in force there, and waits")
        }
        let missed = try await newestRevision()
        Self.say("  meanwhile service 2 has committed 10 times; what `fleet status` says:")
        _ = try await sight(of: missed, by: services[0])
        try await showMachines(atMost: .seconds(2))
        let back = MonotonicTime.now()
        try lonely.cut(false)
        let time = try await sight(of: missed, by: lonely)
        Self.say("  let back, it has seen all ten after \(Self.span(time - back))")
        if network != nil {
            try await services[0].wait("it has the plain write") {
                $0.contains { $0.text?.hasSuffix("limits.burst") ?? false }
            }
            let sight = services[0].lines.last { $0.text?.hasSuffix("limits.burst") ?? false }?.numbers[0] ?? back
            Self.say("  service 1 has its plain write after \(Self.span(sight - back))")
        }
    }

    private func commit(_ order: String, _ number: Int, on service: ServiceProcess) async throws {
        let before = service.lines.count
        service.say(order, number)
        try await service.wait("its commit has ended") { lines in
            lines[before...].contains { ["done", "failed"].contains($0.word) && $0.numbers[0] == number }
        }
    }

    /// When something was stored last.
    private func newestRevision() async throws -> Int {
        try await etcd.events(from: beginning + 1).last { !$0.key.hasPrefix("$") }?.revision ?? 0
    }

    /// - Returns: When a service has seen what was stored at a revision.
    private func sight(of revision: Int, by service: ServiceProcess) async throws -> Int {
        try await service.wait("it has seen revision \(revision)") { lines in
            lines.contains { $0.word == "saw" && $0.numbers[1] >= revision }
        }
        return service.lines.first { $0.word == "saw" && $0.numbers[1] >= revision }?.numbers[0] ?? 0
    }
}

import FleetMachines
import Foundation
import TrialChecks

/// What an operator does with `fleet`, and what the services have in force then.
extension Demonstration {
    func operate() async throws -> Bool {
        Self.say("\nAn operator uses fleet:")
        return try await [
            refuseInvalidValue(), tryOutOnGroup(), promoteGroup(), takeBack(), stopEverything(),
        ].allSatisfy { $0 }
    }

    /// A value that breaks the rule of the schema, which the services have stored.
    private func refuseInvalidValue() async throws -> Bool {
        let set = try await fleet("set", "limits.requests=2000000")
        let isShown = set.lines.first == "limits.requests: 500 → 2000000"
        let isExplained = set.lines.contains { $0.hasSuffix(": it must be in 0...1000000.") }
        let found = try await requests()
        return report(
            set.status == 1 && isShown && isExplained && found == Self.everywhere(500),
            "the schema refuses it, and nothing is stored", "it is not refused, and the requests are \(found)")
    }

    /// A value for two services, and one for a single machine.
    private func tryOutOnGroup() async throws -> Bool {
        let group = try await fleet("set", "--group", Self.group, "limits.requests=700", "--wait", "10s")
        let tried = try await requests()
        let host = try await fleet("set", "--host", services[2].machine, "limits.burst=5", "--wait", "10s")
        let bursts = try await limits().map(\.burst)
        let hasWaited = group.has("In force on 2 of 2 machines.") && host.has("In force on 1 of 1 machines.")
        return report(
            hasWaited && tried == [700, 700, 500, 500, 500, 500] && bursts == [20, 20, 5, 20, 20, 20],
            "in force on two canaries and on one host when fleet returns, and nowhere else",
            "requests are \(tried), and bursts are \(bursts)")
    }

    private func promoteGroup() async throws -> Bool {
        let promoted = try await fleet("promote", Self.group)
        let removed = try await fleet("unset", "--host", services[2].machine, "limits.burst")
        let isEverywhere = try await MonotonicTime.wait(atMost: .seconds(30)) {
            try await limits().allSatisfy { $0 == Limits(requests: 700, burst: 20) }
        }
        let found = try await limits()
        return report(
            promoted.status == 0 && removed.status == 0 && isEverywhere,
            "all six have what the group has tried, and the host's own value is gone",
            "they have \(found)")
    }

    private func takeBack() async throws -> Bool {
        let history = try await fleet("history", "--limit", "2", "limits.requests")
        guard let token = history.lines.first?.split(separator: " ").first else {
            return report(false, "", "there is no history")
        }
        let undone = try await fleet("undo", "--author", "carol")
        let isUndone = try await hasRequests(500)
        let rolledBack = try await fleet("rollback", String(token), "--author", "carol")
        let isRolledBack = try await hasRequests(700)
        let found = try await requests()
        return report(
            undone.status == 0 && isUndone && rolledBack.has("limits.requests: 500 → 700") && isRolledBack,
            "undo and rollback have reached all six", "their requests are \(found)")
    }

    private func stopEverything() async throws -> Bool {
        let start = MonotonicTime.now()
        let stop = try await fleet("set", "limits.requests=0", "--author", "carol", "--wait", "10s")
        let time = Self.since(start)
        // Without waiting.
        let stopped = try await requests()
        let status = try await fleet("status")
        let undone = try await fleet("undo", "--author", "carol")
        let isEverywhere = [stop, status].allSatisfy { $0.has("In force on 6 of 6 machines.") }
        return report(
            isEverywhere && stopped == Self.everywhere(0) && undone.status == 0,
            "all six have stopped when fleet returns, after \(time)", "their requests are \(stopped)")
    }

    // MARK: Services

    private static func everywhere(_ requests: Int) -> [Int] { Array(repeating: requests, count: 6) }

    private struct Limits: Equatable {
        var requests: Int
        var burst: Int
    }

    /// What each service has in force.
    private func limits() async throws -> [Limits] {
        var limits: [Limits] = []
        for service in services {
            guard let numbers = try await look(service)?.numbers, numbers.count == 2 else { continue }
            limits.append(Limits(requests: numbers[0], burst: numbers[1]))
        }
        return limits
    }

    private func requests() async throws -> [Int] { try await limits().map(\.requests) }

    private func hasRequests(_ number: Int) async throws -> Bool {
        try await MonotonicTime.wait(atMost: .seconds(30)) { try await requests() == Self.everywhere(number) }
    }

    // MARK: Commands

    private struct CommandResult {
        var status: CInt
        /// What it has printed, with its complaints.
        var lines: [String]

        /// Returns whether it has succeeded and has printed a line.
        func has(_ line: String) -> Bool { status == 0 && lines.contains(line) }
    }

    /// Runs `fleet` to its end, and shows what it prints.
    private func fleet(_ arguments: String...) async throws -> CommandResult {
        let shown = arguments.map { $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")
        Self.say("  $ fleet \(shown)")
        let location = ["--endpoints", cluster.endpoints.joined(separator: ","), "--prefix", Self.prefix]
        let command: [String] = [try LocalNetwork.thisProgram(), arguments[0]] + location + arguments.dropFirst()
        let child = try ChildProgram("/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh"] + command)
        var lines: [String] = []
        for await line in child.lines {
            Self.say("    \(line)")
            lines.append(line)
        }
        return CommandResult(status: child.wait(), lines: lines)
    }
}

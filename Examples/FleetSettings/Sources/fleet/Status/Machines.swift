import ArgumentParser
import Settle
import SettleEtcd

/// What the machines of a fleet have in force.
struct Machines {
    let all: [EtcdMachine]
    let token: ChangeToken

    /// Those that have not reported everything up to the token.
    var behind: [EtcdMachine] { all.filter { !$0.has(token) } }

    /// Those that can't use one of the stored values.
    var troubled: [EtcdMachine] { all.filter { !$0.problems.isEmpty } }

    var isInForceEverywhere: Bool { behind.isEmpty && troubled.isEmpty }

    private static let limit = 20

    /// The first few lines say which machines are behind, and which have trouble.
    var lines: [String] {
        guard !all.isEmpty else { return ["No machine reports what it has in force."] }
        let behind = behind
        var lines = ["In force on \(all.count - behind.count) of \(all.count) machines."]
        lines += Self.few(behind) { machine in
            let has = machine.token.map { "still has \($0)" } ?? "has nothing yet"
            return "“\(machine.name)” \(has) (\(machine.program))."
        }
        lines += Self.few(troubled) { machine in
            let keys = machine.problems.sorted { $0.key < $1.key }
            return "“\(machine.name)” can't use " + keys.map { "“\($0.key)”: \($0.value)" }.joined(separator: "; ")
        }
        return lines
    }

    private static func few(_ machines: [EtcdMachine], _ line: (EtcdMachine) -> String) -> [String] {
        let rest = machines.count - limit
        return machines.prefix(limit).map(line) + (rest > 0 ? ["… and \(rest) more."] : [])
    }

    /// Asks until everything up to a token is in force on all machines that report, or the time is over.
    static func wait(for token: ChangeToken, in storage: EtcdStorage, atMost limit: Duration) async throws -> Machines {
        let clock = ContinuousClock()
        let end = clock.now + limit
        while true {
            let machines = Machines(all: try await storage.machines(), token: token)
            if machines.isInForceEverywhere || clock.now >= end { return machines }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}

/// A duration as an argument, such as `30s`, `500ms`, `5m`, or `30` for seconds.
struct Seconds: ExpressibleByArgument {
    let duration: Duration

    private static let units = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("", 1)]

    init?(argument: String) {
        for (unit, factor) in Self.units where argument.hasSuffix(unit) {
            guard let number = Double(argument.dropLast(unit.count)), number >= 0, number < 1e9 else { return nil }
            duration = .milliseconds(Int64(number * factor * 1_000))
            return
        }
        return nil
    }
}

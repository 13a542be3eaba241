import ArgumentParser
import Settle
import SettleEtcd

/// What the machines of a fleet have in force.
struct Machines {
    /// Those that search the settings.
    let all: [EtcdMachine]
    let token: ChangeToken
    /// The prefix of the token, if it is that of a host or a group; `nil` for the fleet.
    let layer: String?

    init(all: [EtcdMachine], token: ChangeToken, under layer: String? = nil) {
        self.all = layer.map { layer in all.filter { $0.has(token, under: layer) != nil } } ?? all
        (self.token, self.layer) = (token, layer)
    }

    /// Those that have not reported everything up to the token.
    var behind: [EtcdMachine] { all.filter { !has($0) } }

    /// Returns whether a machine has reported everything up to the token.
    func has(_ machine: EtcdMachine) -> Bool {
        layer.map { machine.has(token, under: $0) == true } ?? machine.has(token)
    }

    /// Returns the newest transaction that a machine has in force of these settings.
    func newest(of machine: EtcdMachine) -> ChangeToken? {
        guard let layer else { return machine.token }
        return machine.layers[layer] ?? nil
    }

    /// Those that can't use one of the stored values.
    var troubled: [EtcdMachine] { all.filter { !$0.problems.isEmpty } }

    var isInForceEverywhere: Bool { behind.isEmpty && troubled.isEmpty }

    private static let limit = 20

    /// The first few lines say which machines are behind, and which have trouble.
    var lines: [String] {
        guard !all.isEmpty else { return [nobody] }
        let behind = behind
        var lines = ["In force on \(all.count - behind.count) of \(all.count) machines."]
        lines += Self.few(behind) { machine in
            let has = newest(of: machine).map { "still has \($0)" } ?? "has nothing yet"
            return "“\(machine.name)” \(has) (\(machine.program))."
        }
        lines += Self.few(troubled) { machine in
            let keys = machine.problems.sorted { $0.key < $1.key }
            return "“\(machine.name)” can't use " + keys.map { "“\($0.key)”: \($0.value)" }.joined(separator: "; ")
        }
        return lines
    }

    /// Says that there are none.
    var nobody: String {
        layer.map { "No machine reports that it searches the settings under “\($0)”." }
            ?? "No machine reports what it has in force."
    }

    private static func few(_ machines: [EtcdMachine], _ line: (EtcdMachine) -> String) -> [String] {
        let rest = machines.count - limit
        return machines.prefix(limit).map(line) + (rest > 0 ? ["… and \(rest) more."] : [])
    }

    /// Asks until everything up to a token is in force on all machines that report, or the time is over.
    ///
    /// - Parameters:
    ///   - layer: The prefix of the token, if it is that of a host or a group. Machines that don't search it don't
    ///     count.
    ///   - storage: The one of the fleet, to which the machines report.
    static func wait(
        for token: ChangeToken, under layer: String? = nil, in storage: EtcdStorage, atMost limit: Duration
    ) async throws -> Machines {
        let clock = ContinuousClock()
        let end = clock.now + limit
        while true {
            let machines = Machines(all: try await storage.machines(), token: token, under: layer)
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

import FleetMachines
import TrialChecks

/// Runs `fleet set --wait` again and again, and records what it says.
struct WaitingWriter {
    let endpoints: [String]
    let prefix: String

    private static let patience = "5s"

    /// - Parameter end: The moment to stop at. A program that still runs then is killed.
    func run(until end: Int) async throws -> [Acknowledgement] {
        let register = TrialGroup.emergencyRegister
        var lines: [Acknowledgement] = []
        var value = 0
        while MonotonicTime.now() < end {
            value += 1
            let start = MonotonicTime.now()
            lines.append(
                Acknowledgement("call", [register, start], text: RegisterSpelling.text(.write(value))))
            let (isStored, isInForceEverywhere) = try await set(value, until: end)
            let now = MonotonicTime.now()
            if isStored { lines.append(Acknowledgement("answer", [value, now])) }
            if isInForceEverywhere { lines.append(Acknowledgement("waited", [value, start, now])) }
            try await Task.sleep(for: .milliseconds(.random(in: 50...500)))
        }
        return lines
    }

    /// - Returns: What the program says. If it does not say that the value is stored, that is unknown.
    private func set(_ value: Int, until end: Int) async throws -> (isStored: Bool, isInForceEverywhere: Bool) {
        let program = try ChildProgram(
            LocalNetwork.thisProgram(),
            [
                "set", "emergency=\(value)", "--wait", Self.patience, "--endpoints", endpoints.joined(separator: ","),
                "--prefix", prefix,
            ], errors: "/dev/null")
        let alarm = Task {
            try await Task.sleep(for: .nanoseconds(max(0, end - MonotonicTime.now())))
            program.kill()
        }
        defer { alarm.cancel() }
        var isStored = false
        for await line in program.lines where line.hasPrefix("Stored") { isStored = true }
        return (isStored, program.wait() == 0)
    }
}

import Foundation

/// A network within this machine: each process has an address and a line of its own, which can be cut.
///
/// ```
///   this process ── bridge, 10.77.0.1
///                    ├── line ── station 1, 10.77.0.11, in its own network namespace
///                    ├── line ── station 2, 10.77.0.12
///                    …
/// ```
///
/// This process is in a namespace of its own, too, so nothing of it can be seen from outside, and all of it goes with
/// the processes.
package struct LocalNetwork: Sendable {
    /// The network that this process was started in; `nil` if it was not.
    package static let current: LocalNetwork? =
        ProcessInfo.processInfo.environment[variable] == nil ? nil : LocalNetwork()

    /// The address of this process on the network.
    package static let ownAddress = "10.77.0.1"

    private static let variable = "FLEET_NETWORK"
    private static let ip = "/usr/sbin/ip"

    /// Starts the program again within a network of its own. Returns if the system does not permit that.
    package static func enter() throws {
        guard current == nil else { return }
        let tools = [ip, "/usr/bin/unshare", "/usr/bin/nsenter", "/usr/bin/setpriv"]
        guard tools.allSatisfy({ FileManager.default.isExecutableFile(atPath: $0) }) else { return }
        for user in [[], ["--user", "--map-root-user"]] {
            let unshare = ["/usr/bin/unshare", "--net"] + user + ["--"]
            guard (try? run(unshare + [ip, "link", "add", "probe", "type", "veth", "peer", "name", "other"])) != nil
            else { continue }
            setenv(variable, "1", 1)
            // Before the program, because Foundation needs the loopback interface to start processes.
            let script = """
                ip link set lo up && ip link add fleet type bridge && ip addr add \(ownAddress)/24 dev fleet && \
                ip link set fleet up && exec "$@"
                """
            let command =
                unshare + ["/bin/sh", "-c", script, "sh", try thisProgram()] + CommandLine.arguments.dropFirst()
            var arguments = command.map { strdup($0) } + [nil]
            execv(command[0], &arguments)
            for argument in arguments { free(argument) }
        }
        unsetenv(variable)
    }

    /// The path of this program.
    package static func thisProgram() throws -> String {
        guard let path = Bundle.main.executablePath else { throw MachineError("The path of this program is unknown.") }
        return path
    }

    /// A place on the network.
    ///
    /// - Parameter number: From 1 to 200.
    package func station(_ number: Int) -> Station { Station(number: number) }

    @discardableResult
    fileprivate static func run(_ command: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw MachineError("“\(command.joined(separator: " "))” has failed: \(text)")
        }
        return text
    }

    fileprivate static func configure(_ arguments: String...) throws { try run([ip] + arguments) }
}

/// A place on a ``LocalNetwork``.
package struct Station: Sendable, Hashable {
    let number: Int

    package var address: String { "10.77.0.\(10 + number)" }
    private var line: String { "line\(number)" }

    /// Gives a process, which is in its own namespace or will soon be, a line to the network.
    func attach(_ id: pid_t) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/net")
        let end = ContinuousClock.now + .seconds(10)
        while (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/ns/net")) == own {
            guard ContinuousClock.now < end else { throw MachineError("Process \(id) stays in its network.") }
            usleep(1_000)
        }
        // That of an earlier process may not be gone yet.
        _ = try? LocalNetwork.configure("link", "del", line)
        // One hardware address for all processes of the station, or the others would look for the earlier one.
        try LocalNetwork.configure(
            "link", "add", line, "type", "veth", "peer", "name", "eth0", "address",
            "02:00:00:00:00:\(String(16 + number, radix: 16))", "netns", "\(id)")
        try LocalNetwork.configure("link", "set", line, "master", "fleet", "up")
        let script = "ip link set lo up && ip addr add \(address)/24 dev eth0 && ip link set eth0 up"
        try LocalNetwork.run(["/usr/bin/nsenter", "--net=/proc/\(id)/ns/net", "/bin/sh", "-c", script])
    }

    /// Drops everything from and to the station; or lets it through again.
    package func cut(_ isCut: Bool = true) throws {
        try LocalNetwork.configure("link", "set", line, isCut ? "down" : "up")
    }

    /// How many bytes have come from and gone to the station.
    package var traffic: Int {
        let text = (try? String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8)) ?? ""
        let row = text.split(separator: "\n").first { $0.drop { $0 == " " }.hasPrefix("\(line):") }
        let fields = row?.split(separator: ":").last?.split(separator: " ").compactMap { Int($0) } ?? []
        // Bytes are the first of eight fields, received before sent.
        return fields.count > 8 ? fields[0] + fields[8] : 0
    }
}

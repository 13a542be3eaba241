import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Members of etcd as processes of this machine, from Debian's packages. They end with this process.
package final class RealCluster: Sendable {
    private struct Member {
        var name: String
        var clientURL: String
        var peerURL: String
        var station: Station?
        var process: ChildProgram?
    }

    /// Files for encryption.
    package struct Certificates: Sendable {
        package var authority: String
        package var certificate: String
        package var key: String

        package init(authority: String, certificate: String, key: String) {
            self.authority = authority
            self.certificate = certificate
            self.key = key
        }
    }

    private let members: Mutex<[Member]>
    private let folder: TemporaryFolder
    private let certificates: Certificates?
    private let arguments: [String]

    package var endpoints: [String] { members.withLock { $0.map(\.clientURL) } }

    /// Whether etcd is installed.
    package static var isInstalled: Bool {
        [path, controlPath].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }
    private static let path = "/usr/bin/etcd"
    private static let controlPath = "/usr/bin/etcdctl"

    /// - Parameters:
    ///   - network: Where each member is a station of its own, from the first on; `nil` for free ports of the loopback
    ///     interface.
    ///   - arguments: More of them, for each member.
    package init(
        members count: Int = 3, certificates: Certificates? = nil, on network: LocalNetwork? = nil,
        arguments: [String] = []
    ) throws {
        folder = try TemporaryFolder("settle-etcd")
        let ports = try Self.freePorts(2 * count)
        let scheme = certificates == nil ? "http" : "https"
        members = Mutex(
            (0..<count).map { index in
                let station = network?.station(index + 1)
                let host = station?.address ?? "127.0.0.1"
                return Member(
                    name: "n\(index)", clientURL: "\(scheme)://\(host):\(ports[2 * index])",
                    peerURL: "http://\(host):\(ports[2 * index + 1])", station: station)
            })
        self.certificates = certificates
        self.arguments = arguments
        for index in 0..<count { try start(index) }
    }

    deinit {
        for index in members.withLock({ $0.indices }) { kill(index) }
    }

    /// Starts a member, with what it had before.
    package func start(_ index: Int) throws {
        try members.withLock { members in
            let member = members[index]
            var arguments = [
                "--name", member.name, "--data-dir", folder.path(member.name),
                "--listen-client-urls", member.clientURL, "--advertise-client-urls", member.clientURL,
                "--listen-peer-urls", member.peerURL, "--initial-advertise-peer-urls", member.peerURL,
                "--initial-cluster", Self.all(members), "--initial-cluster-state", "new", "--log-level", "error",
            ]
            if let certificates {
                arguments += [
                    "--cert-file", certificates.certificate, "--key-file", certificates.key, "--trusted-ca-file",
                    certificates.authority, "--client-cert-auth",
                ]
            }
            arguments += self.arguments
            members[index].process = try ChildProgram(Self.path, arguments, at: member.station, errors: "/dev/null")
        }
    }

    /// All members, as etcd's arguments spell them.
    private static func all(_ members: [Member]) -> String {
        members.map { "\($0.name)=\($0.peerURL)" }.joined(separator: ",")
    }

    /// Saves what the first member has now.
    ///
    /// - Returns: The file.
    package func saveSnapshot() throws -> String {
        let path = folder.path("\(UUID().uuidString).snapshot")
        try control("snapshot", "save", path, endpoints: [endpoints[0]])
        return path
    }

    /// Ends all members, and starts them with a snapshot: with the identity that they had, and the snapshot's revision.
    package func restore(_ snapshot: String) throws {
        let members = members.withLock { $0 }
        for index in members.indices { kill(index) }
        for (index, member) in members.enumerated() {
            let data = folder.path(member.name)
            try FileManager.default.removeItem(atPath: data)
            try control(
                "snapshot", "restore", snapshot, "--name", member.name, "--data-dir", data, "--initial-cluster",
                Self.all(members), "--initial-advertise-peer-urls", member.peerURL)
            try start(index)
        }
    }

    /// Ends a member without notice.
    package func kill(_ index: Int) {
        members.withLock { members in
            members[index].process?.kill()
            members[index].process = nil
        }
    }

    /// Stops a member, which keeps its connections, or resumes it.
    package func pause(_ index: Int, _ isPaused: Bool = true) {
        members.withLock { $0[index].process }?.pause(isPaused)
    }

    /// Cuts a member off from the others and from all clients, or stops it where there is no network to cut; or lets it
    /// back.
    package func cut(_ index: Int, _ isCut: Bool = true) throws {
        guard let station = members.withLock({ $0[index].station }) else { return pause(index, isCut) }
        try station.cut(isCut)
    }

    /// The memory of a member, in bytes.
    package func residentBytes(_ index: Int) -> Int { members.withLock { $0[index].process }?.residentBytes ?? 0 }

    /// How many watches a member serves, as it says itself.
    package func watchCount(_ index: Int) throws -> Int {
        guard let url = URL(string: "\(endpoints[index])/metrics") else { return 0 }
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("etcd_debugging_mvcc_watcher_total ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) } ?? 0
    }

    /// Waits until the members have a leader.
    package func ready() async throws {
        for _ in 0..<600 {
            if (try? control("put", "ready", "1")) != nil { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw MachineError("etcd has no leader after a minute.")
    }

    /// The member that leads.
    package func leader() throws -> Int? {
        for (index, endpoint) in endpoints.enumerated() {
            guard let text = try? control("endpoint", "status", "-w", "fields", endpoints: [endpoint]) else { continue }
            func field(_ name: String) -> Substring? {
                text.split(separator: "\n").first { $0.hasPrefix("\"\(name)\"") }?.split(separator: " ").last
            }
            if let own = field("MemberID"), own == field("Leader") { return index }
        }
        return nil
    }

    /// Ends all leases, as etcd does when nobody renews them.
    package func revokeLeases() throws {
        let list = try control("lease", "list").split(separator: "\n")
        for lease in list where lease.allSatisfy(\.isHexDigit) { try control("lease", "revoke", String(lease)) }
    }

    /// Runs `etcdctl`.
    @discardableResult
    package func control(_ arguments: String..., endpoints: [String]? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: Self.controlPath)
        process.environment = ["ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"]
        var all = arguments + ["--endpoints", (endpoints ?? self.endpoints).joined(separator: ",")]
        if let certificates {
            all += [
                "--cacert", certificates.authority, "--cert", certificates.certificate, "--key", certificates.key,
            ]
        }
        process.arguments = all
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw MachineError("etcdctl \(arguments) has failed.") }
        return String(decoding: data, as: UTF8.self)
    }

    /// Ports that nobody listens on now.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var sockets: [CInt] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            sockets.append(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
                }
            }
            guard isBound else { throw MachineError("No port is free.") }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }
}

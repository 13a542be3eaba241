import Foundation
import Synchronization

/// Members of etcd as processes of this machine, with Debian's `etcd` or another one in the path.
final class RealCluster: Sendable {
    struct Member {
        var name: String
        var clientURL: String
        var peerURL: String
        var process: Process?
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Files for encryption.
    struct Certificates {
        var authority: String
        var certificate: String
        var key: String
    }

    private let members: Mutex<[Member]>
    private let folder: URL
    private let certificates: Certificates?
    private let arguments: [String]

    var endpoints: [String] { members.withLock { $0.map(\.clientURL) } }

    /// Whether etcd is installed.
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
    private static let path = "/usr/bin/etcd"

    /// - Parameter arguments: More of them, for each member.
    init(members count: Int = 3, certificates: Certificates? = nil, arguments: [String] = []) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "settle-etcd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let ports = try Self.freePorts(2 * count)
        let scheme = certificates == nil ? "http" : "https"
        members = Mutex(
            (0..<count).map { index in
                Member(
                    name: "n\(index)", clientURL: "\(scheme)://127.0.0.1:\(ports[2 * index])",
                    peerURL: "http://127.0.0.1:\(ports[2 * index + 1])")
            })
        self.certificates = certificates
        self.arguments = arguments
        for index in 0..<count { try start(index) }
    }

    deinit {
        for index in members.withLock({ $0.indices }) { kill(index) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts a member, with what it had before.
    func start(_ index: Int) throws {
        try members.withLock { members in
            let member = members[index]
            let process = Process()
            process.executableURL = URL(filePath: Self.path)
            process.arguments = [
                "--name", member.name, "--data-dir", folder.appending(path: member.name).path,
                "--listen-client-urls", member.clientURL, "--advertise-client-urls", member.clientURL,
                "--listen-peer-urls", member.peerURL, "--initial-advertise-peer-urls", member.peerURL,
                "--initial-cluster", members.map { "\($0.name)=\($0.peerURL)" }.joined(separator: ","),
                "--initial-cluster-state", "new", "--log-level", "error",
            ]
            if let certificates {
                process.arguments? += [
                    "--cert-file", certificates.certificate, "--key-file", certificates.key, "--trusted-ca-file",
                    certificates.authority, "--client-cert-auth",
                ]
            }
            process.arguments? += arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            members[index].process = process
        }
    }

    /// Ends a member without notice.
    func kill(_ index: Int) {
        members.withLock { members in
            guard let process = members[index].process else { return }
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            members[index].process = nil
        }
    }

    /// Stops a member, which keeps its connections; or lets it go on.
    func pause(_ index: Int, _ isPaused: Bool = true) {
        members.withLock { members in
            guard let process = members[index].process else { return }
            Foundation.kill(process.processIdentifier, isPaused ? SIGSTOP : SIGCONT)
        }
    }

    /// Waits until the members have a leader.
    func ready() async throws {
        for _ in 0..<600 {
            if (try? control("put", "ready", "1")) != nil { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Failure(description: "etcd has no leader after a minute.")
    }

    /// The member that leads.
    func leader() throws -> Int? {
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
    func revokeLeases() throws {
        let list = try control("lease", "list").split(separator: "\n")
        for lease in list where lease.allSatisfy(\.isHexDigit) { try control("lease", "revoke", String(lease)) }
    }

    /// Runs `etcdctl`.
    @discardableResult
    func control(_ arguments: String..., endpoints: [String]? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/etcdctl")
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
        guard process.terminationStatus == 0 else { throw Failure(description: "etcdctl \(arguments) has failed.") }
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
            guard isBound else { throw Failure(description: "No port is free.") }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }
}

import FleetMachines
import Foundation
import Settle
import Testing

@testable import fleet

/// `fleet relay` on a member of etcd.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
struct RelayCommandTests {
    private static let prefix = "/fleet/relayed/"

    private func mode(of file: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// Waits until the JSON in the file, without its journal, has a text.
    private func wait(for text: String, in file: URL) async throws {
        while (try? String(contentsOf: file, encoding: .utf8))?.contains(text) != true {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("The file has the mode that is asked for", arguments: [nil, "644"]) func fileMode(
        _ mode: String?
    ) async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        try cluster.control("put", Self.prefix + "limits.requests", "500")
        let folder = FileManager.default.temporaryDirectory.appending(path: "fleet-relay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "settings.json")
        let relay = try FleetRun.start(
            ["relay", "--file", file.path] + (mode.map { ["--mode", $0] } ?? []), on: cluster, prefix: Self.prefix)
        for await line in relay.lines where line.hasPrefix("Ready") { break }
        // Without a mode the journal may have the values before the file.
        try await wait(for: "500", in: file)
        let expected = mode == nil ? 0o600 : 0o644
        #expect(try self.mode(of: file) == expected)
        try cluster.control("put", Self.prefix + "limits.requests", "501")
        try await wait(for: "501", in: file)
        #expect(try self.mode(of: file) == expected)
        relay.kill()
    }

    @Test("A mode lets only the user write") func refusedMode() {
        #expect(FileMode(argument: "644")?.permissions == 0o644)
        #expect(FileMode(argument: "0640")?.permissions == 0o640)
        #expect(FileMode(argument: "600")?.permissions == 0o600)
        for wrong in ["", "6", "444", "664", "666", "755", "1644", "+644", "6 4", "648", "rw-", "00644"] {
            #expect(FileMode(argument: wrong) == nil, "\(wrong)")
        }
    }
}

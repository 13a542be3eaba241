import FleetMachines
import Foundation
import Testing

/// `fleet set`, `unset`, `import` and `schema` on a member of etcd.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
struct WriteCommandTests {
    private static let prefix = "/fleet/written/"
    private static let schema = #"""
        {"properties": {"limits": {"properties": {
          "burst": {"type": "integer"}, "requests": {"type": "integer", "maximum": 10000}}}}}
        """#

    private func fleet(_ arguments: String..., on cluster: RealCluster) throws -> FleetRun {
        try FleetRun(arguments, on: cluster, prefix: Self.prefix)
    }

    /// Runs some work with a file that has a text.
    private func withFile<Result>(_ text: String, _ work: (String) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "fleet-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try work(file.path)
    }

    private func requests(on cluster: RealCluster) throws -> String {
        try cluster.control("get", Self.prefix + "limits.requests", "--print-value-only")
    }

    @Test("Nothing invalid gets in") func nothingInvalidGetsIn() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        #expect(try fleet("schema", "show", on: cluster).status == 1)
        #expect(try withFile(Self.schema) { try fleet("schema", "push", $0, on: cluster) }.status == 0)
        #expect(try fleet("schema", "show", on: cluster).output.contains("\"maximum\":10000"))
        #expect(try fleet("set", "limits.requests=500", "limits.burst=20", on: cluster).status == 0)

        let refused = try fleet("set", "limits.requests=20000", on: cluster)
        #expect(refused.status == 1 && refused.lines == ["limits.requests: 500 → 20000"])
        #expect(refused.complaints.contains("“limits.requests” can't be 20000: it must be at most 10000."))
        #expect(refused.complaints.contains("Nothing was stored."))
        for arguments in [["set", "limits=3"], ["set", "limits.reqests=1"], ["set", "limits.burst=\"x\""]] {
            #expect(try FleetRun(arguments, on: cluster, prefix: Self.prefix).status == 1)
        }
        let json = #"{"limits": {"burst": 30, "requests": 20000}}"#
        let file = try withFile(json) { try fleet("import", $0, on: cluster) }
        #expect(file.status == 1 && file.complaints.contains("“limits.requests”"))
        #expect(try requests(on: cluster) == "500\n")
        #expect(try fleet("get", "limits.burst", on: cluster).output == "20\n")

        #expect(try fleet("set", "limits.requests=20000", "--no-check", on: cluster).status == 0)
        #expect(try requests(on: cluster) == "20000\n")
        #expect(try fleet("unset", "limits.requests", on: cluster).lines.first == "limits.requests: 20000 → nothing")
        #expect(try requests(on: cluster) == "")
        #expect(try fleet("unset", "limits.requests", on: cluster).status == 1)
    }

    @Test("A dry run writes nothing") func dryRun() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        #expect(try fleet("set", "limits.requests=500", on: cluster).status == 0)
        let set = try fleet("set", "limits.requests=600", "--dry-run", on: cluster)
        #expect(set.status == 0 && set.lines == ["limits.requests: 500 → 600", "Nothing was stored."])
        #expect(try fleet("unset", "limits.requests", "--dry-run", on: cluster).status == 0)
        let file = try withFile(#"{"limits": {"requests": 700}}"#) { try fleet("import", $0, "--dry-run", on: cluster) }
        #expect(file.status == 0 && file.lines.first == "limits.requests: 500 → 700")
        #expect(try requests(on: cluster) == "500\n")
    }

    @Test("A change since the token is not overwritten") func changedSinceToken() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        #expect(try fleet("set", "limits.requests=500", on: cluster).status == 0)
        let token = try #require(try fleet("history", on: cluster).tokens.first)
        #expect(try fleet("set", "limits.burst=20", on: cluster).status == 0)
        // Another key has changed.
        #expect(try fleet("set", "limits.requests=600", "--if-unchanged", token, on: cluster).status == 0)
        #expect(try fleet("set", "limits.requests=700", "--if-unchanged", token, on: cluster).status == 1)
        #expect(try fleet("unset", "limits.requests", "--if-unchanged", token, on: cluster).status == 1)
        #expect(try requests(on: cluster) == "600\n")
    }

    @Test("A schema that cannot be used refuses until it is replaced or passed over")
    func unusableSchema() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        for broken in ["[1]", #"{"properties": 3}"#] {
            try cluster.control("put", Self.prefix + "$settle/schema", broken)
            let refused = try fleet("set", "limits.requests=1", on: cluster)
            #expect(refused.status == 1 && refused.complaints.contains("The values can't be checked."))
            #expect(try requests(on: cluster) == "")
        }
        #expect(try fleet("set", "limits.requests=1", "--no-check", on: cluster).status == 0)
        #expect(try withFile(#"{"properties": 3}"#) { try fleet("schema", "push", $0, on: cluster) }.status == 1)
        #expect(try withFile(Self.schema) { try fleet("schema", "push", $0, on: cluster) }.status == 0)
        #expect(try fleet("set", "limits.requests=2", on: cluster).status == 0)
    }
}

import FleetMachines
import Foundation
import Testing

/// The commands of `fleet` on the settings of a machine or a group, on a member of etcd.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
struct LayerCommandTests {
    private func fleet(_ arguments: String..., on cluster: RealCluster) throws -> FleetRun {
        try FleetRun(arguments, on: cluster, prefix: "/fleet/layers/")
    }

    @Test("A group is tried out and promoted") func promotion() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        #expect(try fleet("set", "limits.requests=100", "limits.burst=10", on: cluster).status == 0)
        #expect(try fleet("promote", "canary", on: cluster).status == 1)
        #expect(try fleet("set", "limits.requests=500", "name=\"x\"", "--group", "canary", on: cluster).status == 0)
        #expect(try fleet("set", "limits.burst=1", "--host", "a/b", on: cluster).status == 0)
        #expect(try fleet("get", "limits.requests", on: cluster).output == "100\n")
        #expect(try fleet("get", "limits.requests", "--group", "canary", on: cluster).output == "500\n")
        let key = "/fleet/layers$hosts/a%2Fb/limits.burst"
        #expect(try cluster.control("get", key, "--print-value-only") == "1\n")

        let tried = try fleet("promote", "canary", "--dry-run", on: cluster)
        #expect(tried.status == 0 && tried.lines.first == "limits.requests: 100 → 500")
        #expect(try fleet("get", "limits.requests", on: cluster).output == "100\n")
        let promoted = try fleet("promote", "canary", on: cluster)
        #expect(promoted.status == 0, "\(promoted.complaints)")
        #expect(promoted.lines.prefix(2) == ["limits.requests: 100 → 500", "name: nothing → \"x\""])
        #expect(try fleet("get", "limits.requests", on: cluster).output == "500\n")
        #expect(try fleet("get", "limits.burst", on: cluster).output == "10\n")
        let rest = try cluster.control("get", "--prefix", "/fleet/layers$groups/canary/", "--keys-only")
        #expect(!rest.contains("limits") && !rest.contains("name"))
    }

    @Test("The schema of the fleet holds for its groups") func groupSchema() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        let file = FileManager.default.temporaryDirectory.appending(path: "fleet-\(UUID().uuidString).json")
        try Data(#"{"properties": {"requests": {"type": "integer", "maximum": 10000}}}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try fleet("schema", "push", file.path, on: cluster).status == 0)
        let refused = try fleet("set", "requests=20000", "--group", "canary", on: cluster)
        #expect(refused.status == 1 && refused.complaints.contains("must be at most 10000"))
        #expect(try fleet("set", "requests=20000", "--group", "canary", "--no-check", on: cluster).status == 0)
        #expect(try fleet("promote", "canary", on: cluster).status == 1)
        #expect(try fleet("get", "requests", on: cluster).status == 1)
    }

    @Test("`set --group --wait` waits for the machines of the group, and names those that are behind")
    func aGroupIsWaitedFor() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        func report(_ machine: String, _ tokens: [String: String]) throws {
            let layers = tokens.map { #""/fleet/layers$groups/\#($0.key)/": "\#($0.value)""# }.joined(separator: ", ")
            try cluster.control(
                "put", "/fleet/layers$machines/\(machine)", #"{"program": "p 1", "time": 1, "layers": {\#(layers)}}"#)
        }
        let nobody = try fleet("set", "a=1", "--group", "canary", "--wait", "10s", on: cluster)
        #expect(nobody.status == 0 && nobody.lines.last?.contains("“/fleet/layers$groups/canary/”") == true)
        let old = try #require(try fleet("history", "--group", "canary", on: cluster).tokens.first)
        // One that does not search the group, and one with another group of the same position.
        try report("outside", [:])
        try report("other", ["other": old])
        try report("inside", ["canary": old])
        let late = try fleet("set", "a=2", "--group", "canary", "--wait", "300ms", on: cluster)
        #expect(late.status == 1 && late.lines.contains("In force on 0 of 1 machines."), "\(late.output)")
        #expect(late.lines.last == "“inside” still has \(old) (p 1).")
        let status = try fleet("status", "--group", "canary", on: cluster)
        #expect(status.lines.contains("“inside” still has \(old) (p 1)."), "\(status.output)")
        let new = try #require(try fleet("history", "--group", "canary", on: cluster).tokens.first)
        try report("inside", ["canary": new])
        #expect(try fleet("set", "a=2", "--group", "canary", "--wait", "10s", on: cluster).status == 0)
        #expect(
            try fleet("status", "--group", "canary", on: cluster).lines.contains("In force on 1 of 1 machines."))
    }

    @Test("A host and a group do not go together") func hostAndGroup() async throws {
        let cluster = try RealCluster(members: 1)
        for arguments in [["set", "a=1", "--group", "x", "--host", "y"], ["promote", "x", "--group", "x"]] {
            #expect(try FleetRun(arguments, on: cluster, prefix: "/fleet/layers/").status == 64)
        }
    }
}

import FleetMachines
import Foundation
import Settle
import Testing

/// `fleet history`, `fleet undo` and `fleet rollback` on a member of etcd.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
struct HistoryCommandTests {
    private func fleet(_ arguments: String..., on cluster: RealCluster) throws -> FleetRun {
        try FleetRun(arguments, on: cluster, prefix: "/fleet/commands/")
    }

    /// The values, as `fleet export` prints them.
    private func values(on cluster: RealCluster) throws -> SettingValue {
        try SettingValue(json: Data(try fleet("export", on: cluster).output.utf8))
    }

    @Test("Who changed what and back again") func undo() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        #expect(try fleet("history", on: cluster).output == "")
        #expect(try fleet("undo", on: cluster).status == 1)
        #expect(
            try fleet("set", "limits.requests=500", "limits.burst=20", "--author", "carol", on: cluster).status == 0)
        #expect(try fleet("set", "limits.requests=600", "--author", "dave", on: cluster).status == 0)
        try cluster.control("put", "/fleet/commands/limits.burst", "30")

        let history = try fleet("history", on: cluster)
        #expect(history.lines.count == 7 && history.tokens.count == 3)
        #expect(
            history.lines[0].hasSuffix("or later, by another tool") && history.lines[1] == "    limits.burst: 20 → 30")
        #expect(history.lines[2].contains("by “dave” (fleet ") && history.lines[3] == "    limits.requests: 500 → 600")
        #expect(history.lines[5...] == ["    limits.burst: nothing → 20", "    limits.requests: nothing → 500"])
        #expect(try fleet("history", "--limit", "1", "limits.requests", on: cluster).tokens == [history.tokens[1]])

        // The newest, then the one before it; what was undone and the undos are passed over.
        #expect(try fleet("undo", "--author", "erin", on: cluster).output.hasSuffix(": limits.burst.\n"))
        #expect(try fleet("undo", on: cluster).output.hasSuffix(": limits.requests.\n"))
        #expect(try fleet("get", "limits.burst", on: cluster).output == "20\n")
        #expect(try fleet("get", "limits.requests", on: cluster).output == "500\n")
        #expect(try fleet("history", "--limit", "1", on: cluster).lines[0].contains("undoes \(history.tokens[1])"))

        // A conflict is named, and nothing is put back.
        let conflict = try fleet("undo", history.tokens[1], on: cluster)
        #expect(conflict.status == 1 && conflict.complaints.contains("limits.requests: was 600, is 500 now"))
        #expect(try fleet("undo", "nonsense", on: cluster).status != 0)
    }

    @Test("All values go back") func allValuesGoBack() async throws {
        let cluster = try RealCluster(members: 1)
        try await cluster.ready()
        let first = try fleet("set", "a.b=1", "a.c=[1]", "gone={\"x\":1}", on: cluster)
        #expect(first.status == 0)
        let token = try #require(try fleet("history", on: cluster).tokens.first)
        let before = try values(on: cluster)
        _ = try fleet("set", "a.b=2", "new.key=1", "gone=", on: cluster)
        try cluster.control("put", "/fleet/commands/a.c", "[2]")

        let expected = ["a.b: 2 → 1", "a.c: [2] → [1]", "gone.x: nothing → 1", "new: {\"key\":1} → nothing"]
        let plan = try fleet("rollback", token, "--dry-run", on: cluster)
        #expect(plan.lines.map { String($0) } == expected)
        #expect(try fleet("get", "a.b", on: cluster).output == "2\n")
        let after = try values(on: cluster)

        let run = try fleet("rollback", token, "--author", "carol", on: cluster)
        #expect(
            run.lines.dropLast().map { String($0) } == expected && run.lines.last?.hasPrefix("Rolled back at ") == true)
        #expect(try values(on: cluster) == before)
        #expect(try fleet("rollback", token, on: cluster).output == "All values are as they were at \(token).\n")
        // It is one transaction of the history, which is taken back like any other.
        let newest = try fleet("history", "--limit", "1", on: cluster)
        #expect(newest.lines.count == 5 && newest.lines[0].contains("by “carol”"))
        #expect(try fleet("undo", on: cluster).status == 0)
        #expect(try values(on: cluster) == after)

        // What etcd has compacted can't come back.
        let revision = token.split(separator: "-")[1]
        try cluster.control("compact", "\((Int(revision) ?? 0) + 1)")
        let late = try fleet("rollback", token, on: cluster)
        #expect(late.status == 1 && late.complaints.contains("no longer known"))
    }
}

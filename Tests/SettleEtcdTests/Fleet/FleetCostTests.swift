import Foundation
import Testing

@testable import SettleEtcd

/// What a fleet costs its cluster. `SETTLE_FLEET=10000` simulates as many machines, for `SETTLE_FLEET_SECONDS` (300),
/// and prints the table of the guide “A fleet”; build with `-c release -Xswiftc -enable-testing` for that.
@Suite(.timeLimit(.minutes(60)), .serialized) struct FleetCostTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let size = environment["SETTLE_FLEET"].flatMap { Int($0) }
    private static let seconds = environment["SETTLE_FLEET_SECONDS"].flatMap { Int($0) } ?? (size == nil ? 60 : 300)

    @Test(
        "At rest, each prefix is read every ten seconds and nothing is written; a change costs a write a machine",
        arguments: [false, true])
    func costs(hasDomains: Bool) async throws {
        let machines = Self.size ?? 8
        let streams = machines * (hasDomains ? 3 : 1)
        let costs = try await FleetSimulation(machines: machines, hasDomains: hasDomains, seconds: Self.seconds).run()
        let (rest, change) = (costs.rest.calls, costs.change.calls)
        let watches = (costs.start.calls[EtcdPath.watch] ?? 0) + (rest[EtcdPath.watch] ?? 0)
        // A machine that was held up takes its silent stream for a lost one.
        #expect((streams...streams + max(1, streams / 100)).contains(watches), "\(watches)")

        // A check of each silence, and an audit now and then, which may read several ranges.
        let checks = streams * Self.seconds / 10
        let audits = streams * (Self.seconds / 150 + 1) * 5
        #expect((checks * 7 / 10...checks + audits).contains(rest[EtcdPath.range] ?? 0), "\(rest)")
        // A lease is renewed within the minute that it lasts, and at most every twenty seconds.
        let renewals = machines * (Self.seconds / 60)...machines * (Self.seconds / 20 + 1)
        #expect(renewals.contains(rest[EtcdPath.keepLeaseAlive] ?? 0), "\(rest)")
        // An audit also looks for clients of the prefixes around.
        #expect((rest[EtcdPath.transaction] ?? 0) <= streams * (Self.seconds / 150 + 1), "\(rest)")

        // The commit, and a report of each.
        #expect((machines + 1...2 * machines + 1).contains(change[EtcdPath.transaction] ?? 0), "\(change)")
        // The change, with the marker of the client that made it, is delivered to each.
        #expect(costs.change.keys >= 2 * machines, "\(costs.change)")
        if Self.size != nil { printTable(costs, machines, hasDomains: hasDomains) }
    }

    private func printTable(_ costs: FleetSimulation.Costs, _ machines: Int, hasDomains: Bool) {
        let seconds = Self.seconds
        func row(_ name: String, _ traffic: Traffic, by count: Int = 1) {
            let cells = [traffic.requests, traffic.bytes, traffic.keys].map { "\($0 / count)" }
            print("| \(name) | \(cells.joined(separator: " | ")) |")
        }
        print("| \(machines) machines\(hasDomains ? ", each with a host and a group" : "") | requests | bytes | keys |")
        print("|---|---|---|---|")
        row("all start", costs.start)
        row("at rest, in a second", costs.rest, by: seconds)
        row("a change of one value", costs.change)
    }
}

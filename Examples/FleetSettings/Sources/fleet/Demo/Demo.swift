import ArgumentParser
import EtcdHTTP
import FleetMachines
import Foundation
import SettleEtcd
import TrialChecks

extension Fleet {
    struct Demo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a fleet on this machine: three nodes of etcd, six services, and what they survive.",
            discussion: """
                Changes a limit, tries one out on a group, undoes changes, stops everything in an emergency, kills the \
                leader in the middle of a stream of commits, cuts a service off and lets it back, and checks each of it, and \
                that nothing was lost. Exits with 1 if anything was. It needs Debian's packages etcd-server and \
                etcd-client; with iproute2, and where namespaces are permitted, the service is cut off by its network, \
                and otherwise it is stopped.
                """)

        @Flag(help: "Make fewer commits.") var quick = false

        func run() async throws {
            try Fleet.requireEtcd()
            TemporaryFolder.removeOnSignals()
            try LocalNetwork.enter()
            let isGood = try await withTransport { transport in
                try await Demonstration(commits: quick ? 60 : 300, transport).run()
            }
            guard isGood else { throw ExitCode.failure }
        }
    }

    static func requireEtcd() throws {
        guard RealCluster.isInstalled else {
            throw ValidationError("etcd is not installed: apt-get install etcd-server etcd-client")
        }
    }
}

/// Three nodes, six services, and what happens to them.
struct Demonstration {
    static let prefix = "/fleet/demo/"
    /// The group of the first two services.
    static let group = "canary"
    let commits: Int
    let network: LocalNetwork?
    let cluster: RealCluster
    let services: [ServiceProcess]
    let folder: TemporaryFolder
    let etcd: BareEtcd
    /// Only asks which machines there are.
    let storage: EtcdStorage
    /// The revision before the first change.
    let beginning: Int

    init(commits: Int, _ transport: EtcdHTTPTransport) async throws {
        self.commits = commits
        network = LocalNetwork.current
        let started = MonotonicTime.now()
        folder = try TemporaryFolder("settle-fleet")
        let cluster = try RealCluster(on: network)
        self.cluster = cluster
        try await cluster.ready()
        let place = network == nil ? "processes on free ports" : "each in a network namespace of its own"
        Self.say("Three nodes of etcd have a leader after \(Self.since(started)), \(place).")
        etcd = BareEtcd(transport, endpoints: cluster.endpoints, prefix: Self.prefix)
        storage = EtcdStorage(
            EtcdConfiguration(endpoints: cluster.endpoints, prefix: Self.prefix), transport: transport)
        // A token to begin after, for all of them.
        beginning = try await etcd.put("limits.requests", "100")
        let (network, folder) = (network, folder)
        services = (1...6).map {
            ServiceProcess(
                $0, of: cluster, prefix: Self.prefix, folder: folder, on: network, reports: true,
                memberOf: $0 <= 2 ? Self.group : nil)
        }
        let began = MonotonicTime.now()
        for service in services { try service.start() }
        for service in services {
            try await service.wait("it has begun") { $0.contains { $0.word == "began" } }
        }
        Self.say("Six services follow one group of settings after \(Self.since(began)).")
    }

    func run() async throws -> Bool {
        try await changeLimit()
        let isOperated = try await operate()
        try await killLeader()
        try await cutOff()
        let isGood = try await check() && isOperated
        for service in services { await service.end() }
        return isGood
    }

    // MARK: Texts

    static func say(_ lines: String) {
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) { Terminal.say(String(line)) }
    }

    static func since(_ start: Int) -> String { span(MonotonicTime.now() - start) }

    static func span(_ nanoseconds: Int) -> String {
        let milliseconds = Double(nanoseconds) / 1e6
        return milliseconds < 100
            ? String(format: "%.1f ms", milliseconds)
            : milliseconds < 1_000
                ? String(format: "%.0f ms", milliseconds) : String(format: "%.2f s", milliseconds / 1_000)
    }
}

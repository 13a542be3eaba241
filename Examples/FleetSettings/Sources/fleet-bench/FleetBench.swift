import ArgumentParser
import FleetMachines
import Foundation

/// Figures of settings in a cluster.
@main
struct FleetBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-bench", abstract: "Measures settings in an etcd cluster, on this machine.",
        discussion: """
            Needs Debian's packages etcd-server and etcd-client. Bytes on the wire are counted where iproute2 is installed \
            and namespaces are permitted. Build with -c release.
            """,
        subcommands: [Measure.self, Follow.self], defaultSubcommand: Measure.self)

    struct Measure: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Measures, and prints a table.")
        @Flag(help: "Use fewer samples, stores and programs.") var quick = false
        @Option(help: "How many stores watch at once; 2,000 by default.") var stores: Int?
        @Option(help: "The parts, separated by commas: commit, sizes, watch, stores, relay.") var only: String?

        func run() async throws {
            guard RealCluster.isInstalled else {
                throw ValidationError("etcd is not installed: apt-get install etcd-server etcd-client")
            }
            TemporaryFolder.removeOnSignals()
            try LocalNetwork.enter()
            try Descriptors.raise()
            let parts = Set((only ?? "commit,sizes,watch,stores,relay").split(separator: ",").map { String($0) })
            try await withTransport { transport in
                if parts.contains("commit") { try await Commits(samples: quick ? 60 : 400).measure(transport) }
                if parts.contains("sizes") {
                    let sizes = quick ? [1_000] : [1_000, 10_000, 100_000]
                    try await Commits(samples: quick ? 60 : 400).measureSizes(sizes, transport)
                }
                if parts.contains("watch") { try await Watches(samples: quick ? 60 : 400).measure(transport) }
                if parts.contains("stores") {
                    try await Stores(count: stores ?? (quick ? 100 : 2_000)).measure(transport)
                }
                if parts.contains("relay") { try await Relays(programs: quick ? 10 : 100).measure(transport) }
            }
        }
    }
}

/// What is printed.
enum Table {
    static func row(_ name: String, _ text: String) {
        let space = String(repeating: " ", count: max(1, 56 - name.count))
        FileHandle.standardOutput.write(Data("\(name)\(space)\(text)\n".utf8))
    }

    static func milliseconds(_ nanoseconds: Int) -> String { String(format: "%.2f ms", Double(nanoseconds) / 1e6) }

    static func ratio(_ subject: [Int], _ limit: [Int]) -> String {
        let ratios = zip(subject, limit).map { Double($0) / Double(max(1, $1)) }.sorted()
        return String(format: "%.2f", ratios[ratios.count / 2])
    }
}

extension [Int] {
    var median: Int { isEmpty ? 0 : sorted()[count / 2] }

    func quantile(_ share: Double) -> Int { isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(share * Double(count)))] }
}

enum Descriptors {
    /// As many open files as the system allows, for thousands of connections.
    static func raise() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

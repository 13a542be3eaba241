import ArgumentParser
import EtcdHTTP
import FleetMachines
import Foundation
import TrialChecks

extension Fleet {
    struct Trial: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Breaks a fleet on this machine again and again, and checks the histories of its clients.",
            discussion: """
                Six services commit and read unique and equal values over three nodes of etcd, also under a named lock, while \
                nodes and services are killed, stopped and cut off, streams are held back, and idle connections are closed. An \
                order has to explain all their answers; nothing acknowledged may be lost, nothing stored twice, and every \
                follower must receive each revision once. What `fleet set --wait` reports as in force everywhere must be so. \
                Wall clocks are moved meanwhile, and a seventh service has a prefix within that of the others. At the end \
                a snapshot is restored, and all must continue with its values. Exits with 1 otherwise.
                """)

        @Option(help: "The number of runs.") var runs = 50
        @Option(help: "The number of seconds for which each run is disturbed.") var seconds = 20
        @Option(help: "The seed of the random numbers, to repeat a plan.") var seed: UInt64?
        @Flag(inversion: .prefixedNo, help: "Restore a snapshot at the end of each run.") var restores = true

        @Option(help: "A folder for the records of the runs that break a promise.") var records: String?

        func validate() throws {
            guard runs > 0, seconds > 0 else { throw ValidationError("--runs and --seconds must be at least 1.") }
        }

        func run() async throws {
            try Fleet.requireEtcd()
            TemporaryFolder.removeOnSignals()
            try LocalNetwork.enter()
            let seed = seed ?? .random(in: 0...9_999)
            let way = LocalNetwork.current == nil ? "stopped instead of cut off" : "cut off by their network"
            Terminal.say(
                "\(runs) runs of \(seconds) s, seed \(seed); nodes and services are killed, stopped and \(way).")
            var problems = 0
            for run in 0..<runs {
                let result = try await withTransport { transport in
                    try await FleetTrial.run(
                        seconds: seconds, seed: seed &+ UInt64(run), restores: restores, transport)
                }
                Terminal.say("run \(run + 1): \(result.account)")
                for sentence in result.problems.prefix(10) { Terminal.say("  BROKEN: \(sentence)") }
                problems += result.problems.count
                guard let records, !result.problems.isEmpty else { continue }
                let folder = URL(filePath: records)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let text = result.problems + [""] + result.record
                try Data(text.joined(separator: "\n").utf8).write(to: folder.appending(path: "run-\(run + 1).txt"))
            }
            Terminal.say(
                problems == 0 ? "No value was lost, doubled or unexplained." : "\(problems) promises were broken.")
            guard problems == 0 else { throw ExitCode.failure }
        }
    }
}

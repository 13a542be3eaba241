import FleetMachines
import Foundation
import Testing

/// What a run of the program `fleet` has printed, and its exit code.
struct FleetRun {
    var output: String
    var complaints: String
    var status: Int32

    var lines: [Substring] { output.split(separator: "\n") }
    /// The tokens at the beginning of lines.
    var tokens: [String] {
        lines.filter { !$0.hasPrefix(" ") }.compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    /// Runs the program to its end.
    init(_ arguments: [String], on cluster: RealCluster, prefix: String) throws {
        let process = Process()
        process.executableURL = try Self.program
        process.arguments = Self.arguments(arguments, on: cluster, prefix: prefix)
        let (output, complaints) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, complaints)
        try process.run()
        let (said, complained) = (
            try output.fileHandleForReading.readToEnd() ?? Data(),
            try complaints.fileHandleForReading.readToEnd() ?? Data()
        )
        process.waitUntilExit()
        self.output = String(decoding: said, as: UTF8.self)
        self.complaints = String(decoding: complained, as: UTF8.self)
        status = process.terminationStatus
    }

    /// Starts the program, for one that does not end by itself.
    static func start(_ arguments: [String], on cluster: RealCluster, prefix: String) throws -> ChildProgram {
        try ChildProgram(
            program.path, self.arguments(arguments, on: cluster, prefix: prefix), errors: "/dev/null")
    }

    private static func arguments(_ arguments: [String], on cluster: RealCluster, prefix: String) -> [String] {
        // After the names of the subcommands.
        let names = arguments.prefix { $0.allSatisfy(\.isLetter) }.prefix(arguments.first == "schema" ? 2 : 1)
        return names + ["--endpoints", cluster.endpoints.joined(separator: ","), "--prefix", prefix]
            + arguments.dropFirst(names.count)
    }

    /// The program, which is built beside the tests.
    private static var program: URL {
        get throws {
            let tests = try #require(
                Bundle.allBundles.lazy.map(\.bundleURL).first { $0.path.hasSuffix(".xctest") }
                    ?? CommandLine.arguments.first.map { URL(filePath: $0) })
            return tests.deletingLastPathComponent().appending(path: "fleet")
        }
    }
}

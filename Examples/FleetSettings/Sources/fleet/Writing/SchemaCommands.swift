import ArgumentParser
import Settle
import SettleEtcd
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Fleet {
    struct Schema: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints or stores the JSON Schema of the settings, which is beside the values.",
            subcommands: [Show.self, Push.self], defaultSubcommand: Show.self)
    }
}

extension Fleet.Schema {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the JSON Schema.")
        @OptionGroup var cluster: Cluster

        func run() async throws {
            try await cluster.ofFleet.open(start: .withClusterOnly, usesLocalCopy: false) { _, storage in
                guard let schema = try storage.schema() else {
                    Terminal.complain("fleet: No schema is stored under “\(cluster.prefix)”.")
                    throw ExitCode.failure
                }
                Terminal.say(schema.line)
            }
        }
    }

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stores a JSON Schema, such as a service's settings.schema.json.",
            discussion: """
                Without --schema-version it replaces the stored schema and keeps its version. With one, it is stored only if the \
                version is newer, as by a service of that version.
                """)
        @OptionGroup var cluster: Cluster
        @Option(help: "The version of the program that declares the settings, such as 1.4.") var schemaVersion: String?
        @Argument(help: "The file, as JSON.") var file: String

        func run() async throws {
            let schema = try SettingValue(json: try Data(contentsOf: URL(filePath: file)))
            do {
                _ = try StoredSchema(schema)
            } catch {
                Terminal.complain("fleet: “\(file)” was not stored. \(error)")
                throw ExitCode.failure
            }
            let version = schemaVersion
            try await cluster.ofFleet.open(start: .withClusterOnly, usesLocalCopy: false) { _, storage in
                try await storage.storeSchema(schema, version: version)
            }
        }
    }
}

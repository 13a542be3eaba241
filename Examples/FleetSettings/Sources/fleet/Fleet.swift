import ArgumentParser
import Foundation

/// Settings of many machines, in an etcd cluster.
@main
struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Reads, writes and follows the settings of a fleet in an etcd cluster.",
        subcommands: [
            Get.self, Set.self, Unset.self, Promote.self, Watch.self, History.self, Undo.self, Rollback.self,
            Status.self,
            Import.self, Export.self, Schema.self, Relay.self, Demo.self, Trial.self, ServiceChild.self,
        ])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .failure, !(error is ExitCode) else { exit(withError: error) }
            // ArgumentParser prints an error with all its characters, and some of them may come from the cluster.
            Terminal.complain(fullMessage(for: error))
            Foundation.exit(ExitCode.failure.rawValue)
        }
    }
}

import ArgumentParser

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
}

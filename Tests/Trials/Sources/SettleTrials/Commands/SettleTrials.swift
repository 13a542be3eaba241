import ArgumentParser

/// Kills processes, lets them race, fills disks, and reports what was lost.
@main
struct SettleTrials: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle-trials",
        abstract: "Kills processes that write settings, lets them race and run out of disk, and says what was lost.",
        subcommands: [
            AllTrials.self, Kill.self, Writers.self, FullDisk.self, Readers.self, Editor.self, Linearizability.self,
            Migration.self, History.self, Confirming.self, Removal.self, PowerCut.self, Latency.self, Peers.self,
            Child.self,
        ],
        defaultSubcommand: AllTrials.self)
}

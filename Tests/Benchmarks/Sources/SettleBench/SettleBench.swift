import ArgumentParser

/// Measures what users would notice, against the best that the same machine can do at the same moment.
@main
struct SettleBench: AsyncParsableCommand {
    // The options belong to a separate command: here they would shadow those of the other commands.
    static let configuration = CommandConfiguration(
        commandName: "settle-bench", abstract: "Measures Settle against the limits of its rows and against its peers.",
        subcommands: [
            MeasureCommand.self, MemoryCommand.self, ChildCommand.self, CommitsCommand.self, GrowthCommand.self,
            CompareCommand.self,
        ], defaultSubcommand: MeasureCommand.self)
}

import ArgumentParser

/// Measures what a person would feel, against the best that the same machine can do at the same moment.
@main
struct SettleBench: AsyncParsableCommand {
    // The options stand in a command of their own: here, they would be taken from those of the other commands.
    static let configuration = CommandConfiguration(
        commandName: "settle-bench", abstract: "Measures Settle against the limits of its rows and against its peers.",
        subcommands: [
            MeasureCommand.self, MemoryCommand.self, ChildCommand.self, CommitsCommand.self, GrowthCommand.self,
            CompareCommand.self,
        ], defaultSubcommand: MeasureCommand.self)
}

import ArgumentParser

struct Migration: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "migration", abstract: "Migrates the file while older programs and tools write.")
    static var trials: [any Trial] { [MigrationTrial()] }
    @OptionGroup var options: TrialOptions
}

import ArgumentParser

/// All trials.
struct AllTrials: TrialCommand {
    static let configuration = CommandConfiguration(commandName: "all", abstract: "Runs all trials.")
    static var trials: [any Trial] {
        Kill.trials + Writers.trials + FullDisk.trials + Readers.trials + Editor.trials + Linearizability.trials
            + Migration.trials + History.trials + Confirming.trials + Removal.trials + PowerCut.trials + Latency.trials
    }
    @OptionGroup var options: TrialOptions
}

import ArgumentParser

struct History: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Kills the writers and the follower of a file that keeps its history.")
    static var trials: [any Trial] { [HistoryTrial()] }
    @OptionGroup var options: TrialOptions
}

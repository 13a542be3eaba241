import ArgumentParser

struct History: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Kills the writers of a file that keeps its history, and one who follows it.")
    static var trials: [any Trial] { [HistoryTrial()] }
    @OptionGroup var options: TrialOptions
}

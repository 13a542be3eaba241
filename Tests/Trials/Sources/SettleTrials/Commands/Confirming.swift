import ArgumentParser

struct Confirming: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirming", abstract: "Kills processes whose commits are reverted unless they are confirmed.")
    static var trials: [any Trial] { [ConfirmingTrial()] }
    @OptionGroup var options: TrialOptions
}

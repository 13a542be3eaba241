import ArgumentParser

struct Kill: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill", abstract: "Kills processes while they write.")
    static var trials: [any Trial] { [KillTrial()] }
    @OptionGroup var options: TrialOptions
}

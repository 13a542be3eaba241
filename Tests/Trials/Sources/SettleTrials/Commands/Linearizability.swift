import ArgumentParser

struct Linearizability: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "linearizability", abstract: "Checks the histories of racing commits.")
    static var trials: [any Trial] { [LinearizabilityTrial()] }
    @OptionGroup var options: TrialOptions
}

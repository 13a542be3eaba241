import ArgumentParser

struct Peers: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "userdefaults", abstract: "Runs every trial that UserDefaults can take, with it alone.")
    static var trials: [any Trial] { Kill.trials + Writers.trials + FullDisk.trials }
    static var contenders: [ContenderKind] { [.userDefaults] }
    @OptionGroup var options: TrialOptions
}

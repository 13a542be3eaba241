import ArgumentParser

struct Removal: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "removal", abstract: "Removes and restores the files of sixteen processes that write.")
    static var trials: [any Trial] { [RemovalTrial(restores: false), RemovalTrial(restores: true)] }
    @OptionGroup var options: TrialOptions
}

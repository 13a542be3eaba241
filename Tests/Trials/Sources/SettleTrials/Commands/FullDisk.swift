import ArgumentParser

struct FullDisk: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "full-disk", abstract: "Fills the disk while values are saved; needs root.")
    static var trials: [any Trial] { [FullDiskTrial()] }
    @OptionGroup var options: TrialOptions
}

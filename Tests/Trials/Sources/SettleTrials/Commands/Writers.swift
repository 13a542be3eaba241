import ArgumentParser

struct Writers: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "writers", abstract: "Lets eight processes write one file.")
    static var trials: [any Trial] { [WritersTrial(kills: false), WritersTrial(kills: true)] }
    @OptionGroup var options: TrialOptions
}

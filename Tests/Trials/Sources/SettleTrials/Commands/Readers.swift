import ArgumentParser

struct Readers: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers", abstract: "Reads the file all the time while it is written.")
    static var trials: [any Trial] { [ReadersTrial()] }
    @OptionGroup var options: TrialOptions
}

import ArgumentParser

struct Editor: TrialCommand {
    static let configuration = CommandConfiguration(
        commandName: "editor", abstract: "Edits the file while a program writes.")
    static var trials: [any Trial] { [EditorTrial()] }
    @OptionGroup var options: TrialOptions
}

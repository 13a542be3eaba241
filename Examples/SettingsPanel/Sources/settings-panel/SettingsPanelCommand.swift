import ArgumentParser

@main
struct SettingsPanelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings-panel", abstract: "Shows and changes the settings of programs, in a browser.",
        subcommands: [Serve.self, Link.self], defaultSubcommand: Serve.self)
}

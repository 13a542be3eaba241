import ArgumentParser
import LiveServing

@main
struct LiveServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live-service",
        abstract: "A small HTTP service whose settings change while it runs.",
        discussion: """
            The settings are in a file, which “serve” follows: change them over HTTP, with “settings” from \
            another process, or with an editor.

            Exit codes: 0 done, 1 the file or the port can’t be used, 64 wrong usage; “settings help” has its own.
            """,
        version: LiveService.version,
        subcommands: [Serve.self, Settings.self, Token.self])
}

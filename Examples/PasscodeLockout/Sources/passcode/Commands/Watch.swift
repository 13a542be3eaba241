import ArgumentParser
import PasscodeLock

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow the lock.",
        discussion: """
            On a terminal one line counts down; otherwise each new status is a line of its own. Ctrl-C ends it.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "End as soon as a passcode may be tried.")
    var untilReady = false

    func run() async throws {
        let (_, lock) = try await options.open()
        let isTerminal = Terminal.showsOutput
        for await status in await lock.statuses(every: isTerminal ? .seconds(1) : nil) {
            if isTerminal { Terminal.redraw(status.line) } else { Terminal.say(status.line) }
            if untilReady, status == .ready { break }
        }
        if isTerminal { Terminal.say("") }
    }
}

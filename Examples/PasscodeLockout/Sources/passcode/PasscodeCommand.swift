import ArgumentParser

@main
struct PasscodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passcode",
        abstract: "A passcode lock that survives crashes, reboots and set clocks.",
        discussion: """
            A passcode is read from the terminal without being shown, or from standard input, one per line.

            Exit codes: 0 done, 1 wrong passcode, 2 there is a wait, 3 no more guesses, 4 the lock can't be used, \
            64 wrong usage, 74 standard output can't be written, 130 Ctrl-C.
            """,
        subcommands: [Enrol.self, Unlock.self, Status.self, Watch.self, Audit.self, Demo.self])

    static func main() async {
        Terminal.reserveStreams()
        await main(nil)
    }
}

import ArgumentParser
import PasscodeLock

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow the lock, including what other processes do with it.",
        discussion: """
            Each try and each other event is a line. On a terminal, the last line shows the status and counts down; \
            otherwise each new status is a line of its own. Ctrl-C ends it.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "End as soon as a passcode may be tried.")
    var untilReady = false

    func run() async throws {
        let lock = try await options.open().lock
        try await WatchDisplay(lock, showsRecords: true).run { !untilReady || $0 != .ready }
    }
}

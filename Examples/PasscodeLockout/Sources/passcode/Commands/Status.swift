import ArgumentParser
import PasscodeLock

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say whether a passcode may be tried; the exit code says it too.")

    @OptionGroup var options: StoreOptions

    @Flag(help: "Say it as JSON.")
    var json = false

    func run() async throws {
        let lock: PasscodeLockout
        do {
            lock = try await options.open().lock
        } catch {
            if json { try say(StatusReport(error)) }
            throw error
        }
        let status = await lock.status()
        let date = await lock.nextCheckDate
        if json {
            try say(StatusReport(status, of: lock, nextCheck: date, attemptCount: await lock.attemptCount))
        } else {
            try Terminal.say(status.sentence, status.style)
            if case .delayed = status, let date {
                try Terminal.say("By the wall clock that is \(date.localTime); the wall clock does not decide it.")
            }
        }
        throw ExitCode(status)
    }

    private func say(_ report: StatusReport) throws {
        try Terminal.write(.json(report.json), .newline)
    }
}

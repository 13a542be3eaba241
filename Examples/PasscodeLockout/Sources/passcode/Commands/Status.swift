import ArgumentParser
import PasscodeLock

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report whether a passcode may be tried, also by the exit code.")

    @OptionGroup var options: StoreOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let lock: PasscodeLockout
        do {
            lock = try await options.open().lock
        } catch {
            if json { try say(StatusReport(error)) }
            throw error
        }
        let obstacle = options.obstacle
        let status = await lock.status().considering(obstacle)
        let date = await lock.nextCheckDate
        if json {
            let count = await lock.attemptCount
            try say(StatusReport(status, of: lock, nextCheck: date, attemptCount: count, obstacle: obstacle))
        } else {
            try Terminal.say(status.sentence, status.style)
            if case .delayed = status, let date {
                try Terminal.say("By the wall clock that is \(date.localTime); the wall clock does not decide it.")
            }
            if let obstacle, status.isDelayed || status == .unavailable(.notEnrolled) {
                try Terminal.say("Nothing can be stored at present: \(obstacle)", .red)
            }
        }
        throw ExitCode(status)
    }

    private func say(_ report: StatusReport) throws {
        try Terminal.write(.json(report.json), .newline)
    }
}

extension LockStatus {
    /// The status for a user who wants to know what a try would lead to: it is only compared if it can be stored.
    fileprivate func considering(_ obstacle: String?) -> LockStatus {
        guard self == .ready, let obstacle else { return self }
        return .unavailable(.notSaved(obstacle))
    }
}

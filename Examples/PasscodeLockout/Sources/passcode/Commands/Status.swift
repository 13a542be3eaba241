import ArgumentParser
import PasscodeLock

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say whether a passcode may be tried; the exit code says it too.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let (_, lock) = try await options.open()
        let status = await lock.status()
        Terminal.say(status.sentence)
        if case .delayed = status, let date = await lock.nextCheckDate {
            Terminal.say("By the wall clock that is \(date.localTime); the wall clock does not decide it.")
        }
        throw ExitCode(status)
    }
}

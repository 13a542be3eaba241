import ArgumentParser
import PasscodeLock
import Settle
import SettleCommand

struct Settings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what the lock keeps: list, get, explain, watch. Only the lock itself writes it.",
        discussion: "“settings help” lists the verbs.")

    @OptionGroup var options: StoreOptions

    @Argument(parsing: .allUnrecognized, help: "A verb and its arguments, such as: explain attemptCount.")
    var arguments: [String] = []

    func run() async throws {
        let store = try await SettingsStore.open(at: options.copies[0])
        // The lock has its settings at this path.
        _ = try await store.group(PasscodeLockout.settings, at: "passcode")
        let command = SettingsCommand(store, name: "passcode settings")
        let code = await command.run(arguments.isEmpty ? ["list"] : arguments)
        try await store.close()
        guard code == 0 else { throw ExitCode(code) }
    }
}

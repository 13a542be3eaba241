import ArgumentParser
import PasscodeLock
import Settle
import SettleCommand

struct Settings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what the lock stores, and show or write its policy: list, get, explain, watch, write.",
        discussion: """
            Only the lock itself writes what it keeps. The policy, such as policy.attemptLimit, can make the lock stricter \
            than it is built to be, and not milder. “settings help” lists the verbs.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(parsing: .allUnrecognized, help: "A verb and its arguments, such as: explain attemptCount.")
    var arguments: [String] = []

    func run() async throws {
        let store = try await SettingsStore.open(at: options.copies[0])
        // The lock has its settings at these paths.
        _ = try await store.group(PasscodeLockout.settings, at: "passcode")
        _ = try await store.group(PasscodePolicy.self, at: "policy")
        let command = SettingsCommand(store, name: "passcode settings")
        let code = await command.run(arguments.isEmpty ? ["list"] : arguments)
        try await store.close()
        guard code == 0 else { throw ExitCode(code) }
    }
}

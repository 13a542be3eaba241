import Foundation
import Settle
import SettleCommand

// The sample of the library's page. Nothing calls it: `ProgramCommandTests` has what it does.

private struct AppSettings: SettingsGroup {
    @Setting(in: 0...20) var attemptCount = 0
}

private func runCommand() async throws -> Never {
    let store = try await SettingsStore.open("com.example.app")
    let command = SettingsCommand(store, groups: AppSettings.self, name: "myapp settings")
    exit(await command.run(Array(CommandLine.arguments.dropFirst(2))))
}

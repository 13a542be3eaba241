import ArgumentParser
import LiveServing
import Settle
import SettleCommand

struct Settings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows, explains and changes settings, even while the service runs: list, get, set, watch, undo …",
        discussion: "“settings help” lists the verbs. A change is on stable storage when the command ends.")

    @OptionGroup var files: FileOptions

    @Argument(parsing: .allUnrecognized, help: "A verb and its arguments, such as: set limits.perSecond 50.")
    var arguments: [String] = []

    func run() async throws {
        let arguments = arguments.isEmpty ? ["list"] : arguments
        let code = try await files.withStore { store in
            await SettingsCommand(store, groups: ServiceSettings.self, name: "live-service settings").run(arguments)
        }
        guard code == 0 else { throw ExitCode(code) }
    }
}

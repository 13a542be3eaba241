import ArgumentParser
import Settle

struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a setting, or all of them. Secrets are not shown; see “token”.")

    @OptionGroup var files: FileOptions

    @Argument(help: "The setting's key; without it all are listed.")
    var key: String?

    func run() async throws {
        let key = key
        try await files.withSettings { store, _ in
            guard let key else {
                for setting in store.settings {
                    print("\(setting.key) = \(Self.words(for: setting)) (\(setting.domain))")
                }
                return
            }
            guard let setting = store.setting(forKey: key) else { throw CommandFailure.unknown(key) }
            print(Self.words(for: setting))
        }
    }

    private static func words(for setting: SettingInfo) -> String {
        setting.isSecret ? "(a secret)" : (setting.value ?? .null).line
    }
}

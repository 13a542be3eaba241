import ArgumentParser
import LiveServing
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the settings are, besides arguments and variables.
struct FileOptions: ParsableArguments {
    @Option(help: "The file with the settings. It is made if it is missing.")
    var file = "settings.json"

    @Option(help: "A folder with a file for each secret, such as admin.token.")
    var secrets: String?

    @Option(help: "An administrator's folder; the settings in it are locked.")
    var managed: String?

    /// The file with the key of the panel's sessions, beside the settings.
    var panelKey: URL { URL(filePath: file).deletingLastPathComponent().appending(path: ".panel-key") }

    /// Opens the store and the settings, runs a closure, and closes the store.
    func withSettings<Result: Sendable>(
        _ body: @Sendable (SettingsStore, ServiceSettings) async throws -> Result
    ) async throws -> Result {
        let store = try await openStore()
        let settings = try await store.group(ServiceSettings.self)
        let result = try await body(store, settings)
        try await store.close()
        return result
    }

    /// - Parameters:
    ///   - arguments: Those that may be settings.
    ///   - history: How much of the file's past is kept; `nil` for as much as the file says.
    func openStore(arguments: [String] = [], history: HistoryPolicy? = nil) async throws -> SettingsStore {
        try await SettingsStore.open(
            at: URL(filePath: file),
            searching: .service(
                arguments: arguments, secrets: secrets.map { URL(filePath: $0) },
                managed: managed.map { URL(filePath: $0) }),
            configuration: .init(history: history))
    }
}

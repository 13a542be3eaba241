import ArgumentParser
import LiveServing
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file with the settings.
struct FileOptions: ParsableArguments {
    @Option(help: "The file with the settings. It is made if it is missing.")
    var file = "settings.json"

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

    func openStore() async throws -> SettingsStore {
        try await SettingsStore.open(
            at: URL(filePath: file), configuration: .init(initialRevision: LiveService.newRunRevision()))
    }
}

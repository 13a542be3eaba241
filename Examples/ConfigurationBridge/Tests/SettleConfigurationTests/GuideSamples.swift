import Configuration
import Foundation
import Settle
import SettleConfiguration
import SystemPackage

// The samples of the guide “Settle and swift-configuration” as they stand, each in the context that the page describes.
// Nothing calls them: the suites of this target test what they do.

private func show<each Value>(_ values: repeat each Value) {}

/// Stands for a library that is configured by a reader.
private struct HTTPServer {
    func run(config: ConfigReader) async throws {}
}

private struct HTTPSettings: SettingsGroup {
    @Setting var host = "localhost"
    @Setting(in: 1...65_535) var port = 8_080
}

private enum SwiftConfiguration {
    static func search() async throws {
        let yaml = try await ReloadingFileProvider<YAMLSnapshot>(filePath: "/etc/app/service.yaml")
        let store = try await SettingsStore.open(
            "com.example.app",
            searching: [.configuration(EnvironmentVariablesProvider()), .application, .configuration(yaml)])
        let settings = try await store.group(HTTPSettings.self, at: "http")
        for await host in settings.$host { show(host) }
    }

    static func run(_ server: HTTPServer, with store: SettingsStore) async throws {
        let config = ConfigReader(providers: [EnvironmentVariablesProvider(), SettingsProvider(store)])
        try await server.run(config: config.scoped(to: "http"))
    }

    static func moveBack(from store: SettingsStore) async throws {
        let values = SettingValue.dictionary(store.keys.effectiveValues.root)
        try values.json().write(to: URL(filePath: "/etc/app/service.json"))

        let file = try await FileProvider<JSONSnapshot>(filePath: "/etc/app/service.json")
        let config = ConfigReader(providers: [EnvironmentVariablesProvider(), file])
        show(config)
    }
}

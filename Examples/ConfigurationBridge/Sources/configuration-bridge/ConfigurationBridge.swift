import Configuration
import Foundation
import Settle
import SettleConfiguration
import SystemPackage

struct HTTPSettings: SettingsGroup {
    @Setting var host = "localhost"
    @Setting(in: 1...65_535) var port = 8_080
}

/// Settings that come from variables, from the user and from a YAML file, and a library that reads them without knowing
/// Settle.
@main
enum ConfigurationBridge {
    /// Stands for such a library.
    static func address(from config: ConfigReader) -> String {
        "\(config.string(forKey: "host", default: "unknown")):\(config.int(forKey: "port", default: 0))"
    }

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-bridge-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "service.yaml")
        try Data("http:\n  host: example.com\n".utf8).write(to: file)
        let yaml = try await ReloadingFileProvider<YAMLSnapshot>(
            filePath: FilePath(file.path), pollInterval: .milliseconds(100))
        let polling = Task { try await yaml.run() }
        defer { polling.cancel() }

        // A domain for each provider: variables replace what the user has chosen, and that replaces the file.
        let store = try await SettingsStore.open(
            at: folder.appending(path: "settings.json"),
            searching: [.configuration(EnvironmentVariablesProvider()), .application, .configuration(yaml)])
        let settings = try await store.group(HTTPSettings.self, at: "http")
        // And the way back: a reader over the store.
        let config = ConfigReader(provider: SettingsProvider(store)).scoped(to: "http")
        print("at first: \(address(from: config))")

        settings.port = 9_090
        print("after `settings.port = 9_090`: \(address(from: config))")

        try Data("http:\n  host: www.example.com\n".utf8).write(to: file, options: .atomic)
        for await host in settings.$host where host != "example.com" { break }
        print("after an edit of the YAML file: \(address(from: config))")

        for key in ["http.host", "http.port"] {
            print("\(key) is from \(store.keys.explanation(forKey: key).domain)")
        }
        try await store.close()
    }
}

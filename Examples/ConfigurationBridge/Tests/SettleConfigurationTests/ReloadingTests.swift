import Configuration
import Foundation
import Settle
import SettleConfiguration
import SystemPackage
import Testing

/// A file whose provider notices each edit.
private final class EditedFile {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-bridge-\(UUID())")
    private let url: URL
    private var date = Date()

    init(_ name: String) throws {
        url = folder.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    var path: FilePath { FilePath(url.path) }

    func write(_ text: String) throws {
        try Data(text.utf8).write(to: url, options: .atomic)
        // The provider reloads a file whose date has changed, and two writes may have the same.
        date += 1
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
    }
}

/// Values that change while both libraries follow them.
@Suite(.timeLimit(.minutes(10))) struct ReloadingTests {
    @Test("A setting follows the edits of a YAML file, below the store's own value") func edits() async throws {
        let file = try EditedFile("service.yaml")
        defer { file.remove() }
        try file.write("service:\n  port: 9090\n  hosts: [a, b]\n  timeout: 1m30s\n")
        let provider = try await ReloadingFileProvider<YAMLSnapshot>(
            filePath: file.path, pollInterval: .milliseconds(10))
        let polling = Task { try await provider.run() }
        defer { polling.cancel() }
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .configuration(provider)])
        let settings = try await store.group(ServiceSettings.self, at: "service")
        #expect(settings.port == 9_090)
        #expect(settings.hosts == ["a", "b"])
        #expect(settings.timeout == .seconds(90))

        try file.write("service:\n  port: 9091\n")
        try await eventually("the edit is in force") { settings.port == 9_091 }
        #expect(settings.hosts.isEmpty)
        let answer = store.keys.explanation(forKey: "service.port").answers.first
        #expect(answer?.place == "“service.port” in ReloadingFileProvider<YAMLSnapshot>")

        settings.port = 1_000
        try file.write("service:\n  port: 9093\n")
        try await eventually("the provider has the edit") {
            try provider.value(forKey: "service.port", type: .int).value?.content == .int(9_093)
        }
        #expect(settings.port == 1_000)
        try await store.close()
    }

    @Test("A setting follows the edits of a JSON file that a reader reads") func editsThroughReader() async throws {
        let file = try EditedFile("service.json")
        defer { file.remove() }
        try file.write(#"{"app": {"port": 9090, "hosts": ["a", "b"]}}"#)
        let provider = try await ReloadingFileProvider<JSONSnapshot>(
            filePath: file.path, pollInterval: .milliseconds(10))
        let polling = Task { try await provider.run() }
        defer { polling.cancel() }
        let reader = ConfigReader(provider: provider).scoped(to: "app")
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.configuration(reader, named: "json"), .application])
        let settings = try await store.group(ServiceSettings.self)
        #expect(settings.port == 9_090 && settings.hosts == ["a", "b"])

        try file.write(#"{"app": {"port": 9091}}"#)
        try await eventually("the edit is in force") { settings.port == 9_091 }
        #expect(settings.hosts.isEmpty)
        let answer = store.keys.explanation(forKey: "port").answers.first
        #expect(answer?.domain == "json" && answer?.place.contains("ReloadingFileProvider<JSONSnapshot>") == true)
        try await store.close()
    }

    @Test("A reader over a store follows a provider in its search list") func bothWays() async throws {
        let provider = MutableInMemoryProvider(name: "file", initialValues: ["port": 9_090])
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .configuration(provider)])
        let settings = try await store.group(ServiceSettings.self)
        let reader = ConfigReader(provider: SettingsProvider(store))
        try await reader.watchInt(forKey: "port", default: 0) { updates in
            var received: [Int] = []
            for await port in updates {
                received.append(port)
                if port == 9_090 { provider.setValue(9_091, forKey: "port") }
                if port == 9_091 { settings.port = 1_000 }
                if port == 1_000 { break }
            }
            #expect(received == [9_090, 9_091, 1_000])
        }
        try await store.close()
    }
}

import Foundation
import SettleTesting
import Testing

@testable import Settle

/// Opening a file that is already open.
@Suite(.timeLimit(.minutes(10))) struct OpeningAgainTests {
    private func withFile<Result>(
        _ name: String = "settings.json", _ body: (URL) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { try await body($0.appending(path: name)) }
    }

    private func error(_ body: () async throws -> SettingsStore) async -> SettingsError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? SettingsError
        }
    }

    // MARK: Options

    @Test("Omitted options and equal options join the open store") func joining() async throws {
        try await withFile { file in
            let configuration = SettingsStore.Configuration(
                savePolicy: .immediate, logLimit: 7, clock: ManualClock())
            let first = try await SettingsStore.open(at: file, format: .json, configuration: configuration)
            #expect(try await SettingsStore.open(at: file) == first)
            #expect(try await SettingsStore.open(at: file, format: .json) == first)
            #expect(try await SettingsStore.open(at: file, configuration: configuration) == first)
            try await first.close()
        }
    }

    @Test("A different option is an error that names the file and both values")
    func disagreement() async throws {
        try await withFile { file in
            let first = try await SettingsStore.open(at: file)
            let both = await error {
                try await SettingsStore.open(
                    at: file, format: .propertyListXML,
                    configuration: .init(
                        savePolicy: .immediate, logLimit: 5, history: .keep(transactions: 9), clock: ManualClock()))
            }
            #expect(both?.code == .alreadyOpen)
            for part in [
                file.path, "savePolicy is debounced", "immediate was requested", "logLimit is 1024, but 5",
                "history is unchanged, but 9 transactions, 1048576 bytes, 2592000 s",
                "format is JSON, but XML property list", "ManualClock was requested",
            ] { #expect(both?.description.contains(part) == true, "\(part)") }
            #expect(both?.description.contains("retryDelay") == false)
            let others = await error {
                try await SettingsStore.open(
                    at: file, configuration: .init(logCostLimit: 7, retryDelay: .seconds(1) ... .seconds(2)))
            }
            #expect(others?.description.contains("logCostLimit is 4194304, but 7") == true)
            #expect(others?.description.contains("retryDelay is") == true)
            // The failed opening left no handle, so that closing the first one closes the store.
            let settings = try await first.group(CounterSettings.self)
            try settings.$count.set(1)
            try await first.close()
            #expect(throws: SettingsError.self) { try settings.$count.set(2) }
            #expect(
                try await SettingsStore.open(at: file, configuration: .init(savePolicy: .immediate)).core.configuration
                    .savePolicy
                    == .immediate)
        }
    }

    @Test("Clocks that are objects must be the same object") func clocks() async throws {
        try await withFile { file in
            let first = try await SettingsStore.open(at: file, configuration: .init(clock: ManualClock()))
            let other = await error {
                try await SettingsStore.open(at: file, configuration: .init(clock: ManualClock()))
            }
            #expect(other?.code == .alreadyOpen && other?.description.contains("clock") == true)
            try await first.close()
        }
    }

    @Test("A format given again must be the one in use") func format() async throws {
        try await withFile("settings.plist") { file in
            let first = try await SettingsStore.open(at: file)
            #expect(try await SettingsStore.open(at: file, format: .propertyListXML) == first)
            #expect(await error { try await SettingsStore.open(at: file, format: .json) }?.code == .alreadyOpen)
            try await first.close()
        }
    }

    @Test("An opening that gives the format waits for no storage at work") func busyStorage() async throws {
        try await withFile("settings.plist") { file in
            let first = try await SettingsStore.open(at: file)
            let storage = try #require(first.core.persister.file)
            let gate = Gate()
            async let work: Void = onThread { storage.session.withLock { _ in gate.pass() } }
            await gate.waitUntilReached()
            #expect(try await SettingsStore.open(at: file, format: .propertyListXML) == first)
            #expect(await error { try await SettingsStore.open(at: file, format: .json) }?.code == .alreadyOpen)
            gate.open()
            await work
            try await first.close()
        }
    }

    // MARK: Names

    @Test(
        "An unknown extension is an error that names the file and valid extensions, and changes nothing",
        arguments: ["settings.yaml", "settings.json.bak", "com.example.app", ".env.toml"])
    func unknownExtension(name: String) async throws {
        try await withFile(name) { file in
            let text = Data("port: 80\n".utf8)
            try text.write(to: file)
            let error = await error { try await SettingsStore.open(at: file) }
            for part in [file.path, ".json", ".plist", "format"] {
                #expect(error?.description.contains(part) == true, "\(part)")
            }
            #expect((error?.underlying as? StorageError)?.code == .unknownFormat)
            #expect(try Data(contentsOf: file) == text)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path) == [name])
        }
    }

    @Test(
        "Known extensions in any case and no extension work; a given format allows any name",
        arguments: ["settings", ".settings", "A.JSON", "b.PList", "settings."])
    func knownNames(name: String) async throws {
        try await withFile(name) { file in
            let store = try await SettingsStore.open(at: file)
            try store.keys.setValue(1, forKey: "a")
            try await store.close()
            let begins = try Data(contentsOf: file).first
            #expect(begins == UInt8(ascii: name == "b.PList" ? "<" : "{"))
        }
        try await withFile("settings.conf") { file in
            let store = try await SettingsStore.open(at: file, format: .json)
            try store.keys.setValue(1, forKey: "a")
            try await store.close()
            #expect(try await SettingsStore.open(at: file, format: .json).keys.value(forKey: "a") == 1)
        }
    }
}

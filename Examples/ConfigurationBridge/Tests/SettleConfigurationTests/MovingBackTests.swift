import Configuration
import Foundation
import Settle
import SettleConfiguration
import SystemPackage
import Testing

/// The last section of the guide “Settle and swift-configuration”.
@Suite(.timeLimit(.minutes(10))) struct MovingBackTests {
    @Test("A file with the values in force reads as the store does, and lacks the secrets") func file() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "configuration-bridge-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(ServiceSettings.self, at: "service")
        try await store.commit {
            settings.port = 9_090
            settings.ratio = 0.25
            settings.isVerbose = true
            settings.salt = Data([1, 2, 3])
            settings.hosts = ["a", "b"]
            settings.ports = [1, 2]
            settings.ratios = [0.5, 1]
            settings.flags = [true, false]
            settings.salts = [Data([1, 2, 3]), Data([0, 255])]
            settings.timeout = .milliseconds(1_500)
            settings.start = Date(timeIntervalSince1970: 86_400)
            settings.mode = .thorough
            settings.token = Secret("hunter2")
        }
        let values = SettingValue.dictionary(store.keys.effectiveValues.root)
        try values.json().write(to: file)
        let provider = try await FileProvider<JSONSnapshot>(filePath: FilePath(file.path))
        let before = ConfigReader(provider: SettingsProvider(store)).scoped(to: "service")
        let after = ConfigReader(provider: provider).scoped(to: "service")
        for reader in [before, after] {
            #expect(reader.int(forKey: "port") == 9_090)
            #expect(reader.string(forKey: "host") == "localhost")
            #expect(reader.double(forKey: "ratio") == 0.25)
            #expect(reader.bool(forKey: "isVerbose") == true)
            #expect(reader.bytes(forKey: "salt") == [1, 2, 3])
            #expect(reader.stringArray(forKey: "hosts") == ["a", "b"])
            #expect(reader.intArray(forKey: "ports") == [1, 2])
            #expect(reader.doubleArray(forKey: "ratios") == [0.5, 1])
            #expect(reader.boolArray(forKey: "flags") == [true, false])
            #expect(reader.byteChunkArray(forKey: "salts") == [[1, 2, 3], [0, 255]])
            #expect(reader.string(forKey: "timeout") == "1.5s")
            #expect(reader.string(forKey: "start") == "1970-01-02T00:00:00Z")
            #expect(reader.string(forKey: "mode", as: Mode.self) == .thorough)
        }
        #expect(before.string(forKey: "token") == "hunter2")
        #expect(after.string(forKey: "token") == nil)
        try await store.close()
    }
}

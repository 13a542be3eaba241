import Foundation
import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct LargeValueTests {
    struct Settings: SettingsGroup {
        @Setting var text = ""
        @Setting var token: Secret<String>?
    }

    /// The keys of the issues up to one that the test causes.
    private func reported(_ store: SettingsStore) async throws -> [SettingsError] {
        let settings = try await store.group(Last.self, at: "last")
        settings.number = -1
        var issues: [SettingsError] = []
        for await issue in store.issues {
            guard issue.key != "last.number" else { break }
            issues.append(issue)
        }
        return issues
    }

    struct Last: SettingsGroup {
        @Setting(in: 0...) var number = 0
    }

    @Test("A large value that is written by key is stored, and reported once for each key") func once() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), configuration: .init(valueSizeLimit: 1_000))
        let large = String(repeating: "x", count: 1_000)
        try store.keys.setValue(large, forKey: "a.b")
        try store.keys.setValue(large, forKey: "a.b")
        try store.keys.setValue("small", forKey: "a.b")
        try store.keys.setValue(Data(count: 2_000), forKey: "a.b")
        try store.keys.setValue([large, large], forKey: "list")
        try store.keys.setValue(String(repeating: "x", count: 900), forKey: "fits")
        let issues = try await reported(store)
        #expect(issues.map(\.key) == ["a.b", "list"] && issues.allSatisfy { $0.code == .largeValue })
        #expect(issues.first?.description.contains("1016 bytes, more than the recommended 1000") == true)
        #expect(store.keys["a.b"] == .data(Data(count: 2_000)))
    }

    @Test("The limit is 4 MiB if none is chosen, and declared keys written by key count") func standard() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Settings.self)
        #expect(SettingsStore.Configuration().valueSizeLimit == 4_194_304)
        settings.text = String(repeating: "x", count: 5 << 20)
        try store.keys.setValue(Data(count: 4_000_000), forKey: "fits")
        try store.keys.setValue(String(repeating: "y", count: 4 << 20), forKey: "text")
        try store.keys.setValue(String(repeating: "z", count: 4 << 20), forKey: "token")
        let issues = try await reported(store)
        #expect(issues.map(\.key) == ["text", "token"])
        #expect(!issues.contains { "\($0)".contains("zz") || $0.value != nil })
    }

    @Test("A large value that is refused is not reported as large") func refused() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage(), configuration: .init(valueSizeLimit: 10))
        _ = try await store.group(Last.self, at: "other")
        #expect(throws: SettingsError.self) {
            try store.keys.setValue(String(repeating: "x", count: 100), forKey: "other.number")
        }
        #expect(try await reported(store).isEmpty)
    }
}

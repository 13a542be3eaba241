import Foundation
import Settle
import SettleFoundation
import SettleTesting
import Testing

private struct Lock: SettingsGroup {
    @Setting var attempts = 0
    @Setting var note = "none"
    @Setting var isOn = false
    @Setting var window = Window()
}

private struct Window: Codable, Equatable, Sendable {
    var width = 1
    var title = "untitled"
}

@Suite(.timeLimit(.minutes(10))) struct UserDefaultsSourceTests {
    private func write(_ tree: SettingTree, _ name: String) {
        UserDefaults.standard.setPersistentDomain(plain(tree.root), forName: name)
    }

    /// Texts and dictionaries of them, which are all that the checks use.
    private func plain(_ entries: SettingValue.Entries) -> [String: Any] {
        Dictionary(
            uniqueKeysWithValues: entries.map { name, value in
                switch value {
                case .string(let text): (name, text as Any)
                case .dictionary(let inner): (name, plain(inner) as Any)
                default: (name, "?" as Any)
                }
            })
    }

    @Test("A domain of UserDefaults keeps all promises of a source") func conformance() async throws {
        let base = "settle-tests-\(UUID())"
        var name = base
        defer { for number in 0..<20 { UserDefaults.standard.removePersistentDomain(forName: "\(base)-\(number)") } }
        try await DomainSourceConformance.check(
            make: { number in
                name = "\(base)-\(number)"
                return UserDefaultsSource(domain: name)
            },
            change: { _, tree in write(tree, name) })
    }

    @Test("A store asks it, with literal keys and types, and follows it") func following() async throws {
        let name = "settle-tests-\(UUID())"
        defer { UserDefaults.standard.removePersistentDomain(forName: name) }
        let defaults = try #require(UserDefaults(suiteName: name))
        defaults.set(3, forKey: "lock.attempts")
        let source = UserDefaultsSource(domain: name)
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .source("UserDefaults", source)])
        let lock = try await store.group(Lock.self, at: "lock")
        #expect(lock.attempts == 3 && lock.$attempts.domains.current == "UserDefaults")
        #expect(store.keys.explanation(forKey: "lock.attempts").description.contains("of “\(name)” in UserDefaults"))
        defaults.set(4, forKey: "lock.attempts")
        source.reload()
        for await attempts in lock.$attempts where attempts == 4 { break }
        lock.attempts = 5
        #expect(lock.attempts == 5 && defaults.integer(forKey: "lock.attempts") == 4)
        try await store.close()
    }

    @Test("What is there as text may be a number or a switch; other values are taken as they are") func texts()
        async throws
    {
        let name = "settle-tests-\(UUID())"
        defer { UserDefaults.standard.removePersistentDomain(forName: name) }
        let defaults = try #require(UserDefaults(suiteName: name))
        defaults.set(["attempts": "7", "note": "12", "isOn": "YES", "window": ["width": 5]], forKey: "lock")
        let source = UserDefaultsSource(domain: name)
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .source("UserDefaults", source)])
        let lock = try await store.group(Lock.self, at: "lock")
        #expect(lock.attempts == 7 && lock.note == "12" && lock.isOn && lock.window == Window(width: 5))
        defaults.set(
            ["attempts": "many", "note": "", "isOn": "", "window": ["width": "6", "title": "w"]], forKey: "lock")
        source.reload()
        for await note in lock.$note where note.isEmpty { break }
        #expect(lock.attempts == 0 && !lock.isOn && lock.window == Window(width: 6, title: "w"))
        try await store.close()
    }
}

import Foundation
import Settle

// Samples of the guide “Declaring settings” that nothing else compiles as they stand; see `GuideSamples.swift`.

private func show<each Value>(_ values: repeat each Value) {}
private func isExpired(_ name: String) -> Bool { false }
private func authorize(with token: String?) {}

private enum Groups {
    final class Cache: Sendable {}

    struct PageSettings: SettingsGroup {
        @Setting var width = 600
        var height = 800
        let unit = "pt"
        var _cache: Cache?
    }

    struct Item: SettingsGroup {
        @Setting var title = ""
    }

    struct Shelf: SettingsGroup {
        let items = [Item(), Item()]
        var first: Item { Item() }
    }

    static func open(_ id: String, in store: SettingsStore) async throws {
        let item = try await store.group(Item.self, at: .path("items", id))
        show(item)
    }
}

private enum Names {
    struct DottedSettings: SettingsGroup {
        @Setting(#"window\.width"#) var width = 600
    }

    struct Account: SettingsGroup {
        @Setting var visits = 0
    }

    static func use(_ store: SettingsStore) async throws {
        let account = try await store.group(Account.self, at: .path("accounts", "carol@example.com"))
        try store.keys.setValue(3, forKey: .path("accounts", "carol@example.com", "visits"))
        show(account)

        for name in store.keys.groupNames(at: "accounts") where isExpired(name) {
            try store.keys.removeAll(at: .path("accounts", name))
        }
    }
}

private enum Listings {
    static func list(_ store: SettingsStore) throws {
        for setting in store.settings {
            print(setting.key, setting.type, setting.value ?? .null, setting.rules, setting.isDefault)
        }

        let value = try SettingValue(json: Data("\"2026-01-31T12:00:00Z\"".utf8))
        try store.keys.setValue(value, forKey: "passcode.nextCheck", author: "cli")
        let text = try value.json()
        show(text)

        for rule in store.keys.setting(forKey: "window.width")?.rules ?? [] {
            print(rule.kind, rule.lowerBound?.value ?? .null, rule.description)
        }
    }

    static func describe(_ settings: GuideSamplesTests.AppSettings) {
        print(settings.passcode)
        print(settings.passcode.$attemptCount)
    }
}

private enum Declarations {
    struct WindowSettings: SettingsGroup {
        @Setting(in: 1...400) var width = 80
        @Setting(.oneOf(["de", "en"])) var language = "en"
        @Setting(.oneOf(["de": "Deutsch", "en": "English"])) var voice = "en"
        @Setting(.matching("[a-z]+", "a word in lowercase letters")) var name = "main"
        @Setting(.count(1...64)) var title = "Untitled"
        @Setting(.check("an even number") { $0.isMultiple(of: 2) }) var columns = 2
        @Setting(in: 1...5) var level: Int?
    }

    enum Theme: String, Codable, CaseIterable, TitledChoice {
        case light, dark
        var choiceTitle: String { self == .light ? "Bright" : "Dark" }
    }

    struct NetworkSettings: SettingsGroup {
        static let presentation = GroupPresentation.section(title: "Network", footer: "Takes effect at the next start.")
        @Setting(title: "Host") var host = "localhost"
        @Setting(in: 1...65_535, title: "Port") var port = 8080
    }

    struct WindowState: SettingsGroup {
        static let category = SettingsCategory.state
        @Setting var width = 800
        @Setting var lastSeen: Date?
    }
}

private enum Secrets {
    struct ServiceSettings: SettingsGroup {
        @Setting var user = ""
        @Setting var token: Secret<String>?
    }

    static func use(_ settings: ServiceSettings) {
        settings.token = Secret("…")
        authorize(with: settings.token?.revealed)
    }
}

private enum StoredSecrets {
    struct ServiceSettings: SettingsGroup {
        @Setting var user = ""
        @Setting(storedIn: .secrets) var token: Secret<String>?
    }

    static func use() async throws {
        let store = try await SettingsStore.open(
            "com.example.service", searching: .standard(secretStore: URL(filePath: "/var/lib/service/secrets")))
        let settings = try await store.group(ServiceSettings.self)
        try await store.domains[.secretStore].update { settings.token = Secret("…") }
    }
}

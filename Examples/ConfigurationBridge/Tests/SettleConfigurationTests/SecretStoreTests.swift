import Configuration
import Foundation
import Settle
import SettleConfiguration
import Testing

private struct AccountSettings: SettingsGroup {
    @Setting var user = "none"
    @Setting(storedIn: .secrets) var token: Secret<String>?
}

/// Settings of a store with a secret store.
@Suite(.timeLimit(.minutes(10))) struct SecretStoreTests {
    private func withStore(
        below domains: [SearchList.Domain] = [], _ body: (SettingsStore, AccountSettings) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "configuration-bridge-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var list: [SearchList.Domain] = [.secretStore(in: folder)]
        list += domains
        list.append(.application)
        let store = try await SettingsStore.open(storage: InMemoryStorage(), searching: SearchList(list))
        try await body(store, try await store.group(AccountSettings.self, at: "account"))
        try await store.close()
    }

    @Test("A secret of the secret store is marked as one in every way of reading, and nothing else is")
    func marked() async throws {
        try await withStore { store, settings in
            try await store.domains[.secretStore].update { settings.token = Secret("hunter2") }
            let provider = SettingsProvider(store)
            for (key, text, isSecret) in [("account.token", "hunter2", true), ("account.user", "none", false)] {
                let key = AbsoluteConfigKey(key.split(separator: ".").map(String.init))
                let expected: ConfigValue? = ConfigValue(.string(text), isSecret: isSecret)
                #expect(try provider.value(forKey: key, type: .string).value == expected)
                #expect(try await provider.fetchValue(forKey: key, type: .string).value == expected)
                #expect(try provider.snapshot().value(forKey: key, type: .string).value == expected)
                try await provider.watchValue(forKey: key, type: .string) { updates in
                    for await result in updates {
                        let found = try? result.get()
                        #expect(found?.value == expected)
                        break
                    }
                }
                try await provider.watchSnapshot { updates in
                    for await snapshot in updates {
                        let found = try? snapshot.value(forKey: key, type: .string)
                        #expect(found?.value == expected)
                        break
                    }
                }
            }
        }
    }

    @Test("A provider's secret is in force until the secret store has one") func provided() async throws {
        let secret = ConfigValue(.string("theirs"), isSecret: true)
        let vault = MutableInMemoryProvider(name: "vault", initialValues: ["account.token": secret])
        try await withStore(below: [.configuration(vault, named: "vault")]) { store, settings in
            #expect(settings.token?.revealed == "theirs")
            try await store.domains[.secretStore].update { settings.token = Secret("ours") }
            #expect(settings.token?.revealed == "ours")
            let answers = store.keys.explanation(forKey: "account.token").answers
            #expect(answers.prefix(2).map(\.domain) == [.secretStore, "vault"])
        }
    }
}

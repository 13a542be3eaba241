import Foundation
import SettleTesting
import Testing

@testable import Settle

/// The folder of secrets that systemd gives to a service.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct CredentialsTests {
    private func open(_ variables: [String: String], _ secrets: SearchList.Domain) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: [.environment(prefix: "APP", variables: variables), secrets, .application])
    }

    @Test("Without a folder, secrets are in the one that $CREDENTIALS_DIRECTORY names") func credentials() async throws
    {
        let folder = try TemporaryFolder()
        try Data("hunter2\n".utf8).write(to: folder.url.appending(path: "token"))
        try Data("0.25".utf8).write(to: folder.url.appending(path: "inner.level"))
        let variables = ["CREDENTIALS_DIRECTORY": folder.url.path, "APP_COUNT": "3"]
        let store = try await open(variables, .secrets())
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.token.revealed == "hunter2" && settings.inner.level == 0.25 && settings.count == 3)
        #expect(settings.$token.domains.current == .secrets && !store.domains[.secrets].isVolatile)
        let text = store.keys.explanation(forKey: "token").description
        #expect(text.contains("/token”") && !text.contains("hunter2"))
        await #expect(throws: SettingsError.self) { try await store.domains[.secrets].update { settings.count = 2 } }

        let other = try TemporaryFolder()
        let explicit = try await open(variables, .secrets(in: other.url))
        #expect(try await explicit.group(LayeredGroup.self).token.revealed == "none")
    }

    @Test(
        "Without the variable, or with one that is no absolute path, the domain is empty and can't be written",
        arguments: [[:], ["CREDENTIALS_DIRECTORY": ""], ["CREDENTIALS_DIRECTORY": "run"]])
    func none(variables: [String: String]) async throws {
        let store = try await open(variables, .secrets())
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.token.revealed == "none" && store.domains[.secrets].values == SettingTree())
        await #expect(throws: SettingsError.self) { try await store.domains[.secrets].update { settings.count = 2 } }
    }
}

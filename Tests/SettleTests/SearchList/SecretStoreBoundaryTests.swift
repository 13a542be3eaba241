import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

private struct PlainToken: SettingsGroup {
    @Setting var token = "default"
}

private struct PlainPin: SettingsGroup {
    @Setting var pin = 0
}

/// No setting gets from the settings to the secret store, nor the other way around.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SecretStoreBoundaryTests {
    @Test("Resets in an update of the secret store remove secrets, and leave all other settings") func resets()
        async throws
    {
        let stored = SettingTree(["name": .string("kept"), "other": .string("kept")])
        let storage = InMemoryStorage(stored)
        let secrets = MemorySecrets(["token": "hunter2", "pin": "5", "name": "intruder"])
        let (store, settings) = try await openSecretGroup(secrets, on: storage)
        try await store.domains[.secretStore].update { try settings.reset() }
        #expect(secrets.secrets == ["name": "intruder"] && settings.token == nil && settings.pin.revealed == 0)
        let removals: [@Sendable () throws -> Void] = [
            { try settings.$name.reset() }, { try store.keys.removeValue(forKey: "name") },
            { try store.keys.removeValue(forKey: "other") },
        ]
        for removal in removals {
            let error = await #expect(throws: SettingsError.self) {
                try await store.domains[.secretStore].update(removal)
            }
            #expect(error?.code == .secretStore)
        }
        try await store.reload()
        try await store.flush()
        #expect(settings.name == "kept" && storage.tree == stored && secrets.secrets == ["name": "intruder"])
    }

    @Test("Resets elsewhere leave the secrets, and that of one setting is refused if only they are its value")
    func otherResets() async throws {
        let storage = InMemoryStorage(SettingTree(["pin": .integer(7)]))
        let (store, settings) = try await openSecretGroup(MemorySecrets(["token": "hunter2"]), on: storage)
        try settings.$pin.reset()
        #expect(settings.pin.revealed == 0)
        #expect(isRefusedForSecretStore { try settings.$pin.reset() })
        #expect(isRefusedForSecretStore { try settings.$token.reset() })
        #expect(isRefusedForSecretStore { try store.keys.removeValue(forKey: "token") })
        settings.name = "other"
        try settings.reset()
        #expect(settings.name == "default" && settings.token?.revealed == "hunter2")
        settings.name = "other"
        try store.reset()
        #expect(settings.name == "default" && settings.token?.revealed == "hunter2")
        try await store.flush()
        #expect(storage.tree == SettingTree())
    }

    /// - Parameter isOpened: Whether the group was opened and released, or could not be opened.
    @Test("Without its group, too, a secret is neither written by key nor exported", arguments: [true, false])
    func bypasses(isOpened: Bool) async throws {
        let stored = SettingTree(["service": .dictionary(SettingTree(["token": .string("earlier")]).root)])
        let storage = InMemoryStorage(stored)
        let store = try await SettingsStore.open(
            storage: storage, searching: [.secretStore(MemorySecrets()), .application, .registration])
        if isOpened {
            _ = try await store.group(SecretGroup.self, at: "service")
            try await store.release(at: "service")
        } else {
            _ = try await store.group(PlainPin.self, at: "service")
            await #expect(throws: SettingsError.self) { try await store.group(SecretGroup.self, at: "service") }
        }
        let tree = SettingTree(["token": .string("hunter2")])
        #expect(isRefusedForSecretStore { try store.keys.setValue("hunter2", forKey: "service.token") })
        #expect(isRefusedForSecretStore { try store.keys.setValue("hunter2", forKey: "service.token.part") })
        #expect(isRefusedForSecretStore { try store.keys.setValue(.dictionary(tree.root), forKey: "service") })
        #expect(isRefusedForSecretStore { try store.file.import(Data(#"{"service": {"token": "hunter2"}}"#.utf8)) })
        let error = await #expect(throws: SettingsError.self) {
            try await store.domains[.registration].replace(
                with: SettingTree(["service": .dictionary(tree.root)]))
        }
        #expect(error?.code == .secretStore)
        try store.keys.setValue("other", forKey: "service.name")
        try await store.flush()
        #expect(storage.tree["service.name"] == .string("other"))
        #expect(storage.tree["service.token"] == .string("earlier"))
        let data = try await store.file.export(includingSecrets: true)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("other") && !text.contains("earlier"))
    }

    @Test("A key that is declared as another setting gets nothing from the secret store any more") func redeclared()
        async throws
    {
        let secrets = MemorySecrets(["token": "hunter2"])
        let (store, settings) = try await openSecretGroup(secrets)
        #expect(settings.token?.revealed == "hunter2")
        try await store.release(at: "")
        let plain = try await store.group(PlainToken.self)
        #expect(plain.token == "default")
        secrets.set("hunter3", at: "token")
        try await store.reload()
        #expect(plain.token == "default")
        try plain.$token.set("written")
        try await store.flush()
        #expect(plain.token == "written")
    }

    @Test("A refused declaration leaves the secrets of the group that is open") func refusedDeclaration() async throws {
        let (store, settings) = try await openSecretGroup(MemorySecrets(["token": "hunter2"]))
        await #expect(throws: SettingsError.self) { try await store.group(PlainToken.self) }
        try await store.reload()
        #expect(settings.token?.revealed == "hunter2")
    }

    @Test("After a migration the earlier name is read, until the setting is written", arguments: ["new", nil])
    func renamed(secret: String?) async throws {
        let secrets = MemorySecrets(["auth.token": "old"])
        let (store, settings) = try await openSecretGroup(secrets, migrations: [.rename("auth.token", to: "token")])
        #expect(settings.token?.revealed == "old")
        #expect(store.domains[.secretStore].values["auth.token"] == nil)
        #expect(store.keys.effectiveValues["auth.token"] == nil && store.keys.isSecret("auth.token"))
        try await store.domains[.secretStore].update {
            settings.token = secret.map { Secret($0) }
            #expect(settings.token?.revealed == secret)
        }
        #expect(settings.token?.revealed == secret)
        let expected: [SettingKey: String] = secret.map { ["token": $0] } ?? [:]
        #expect(secrets.secrets == expected)
    }
}

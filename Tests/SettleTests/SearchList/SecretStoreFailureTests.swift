import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Updates of the secret store that fail on the way.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SecretStoreFailureTests {
    private func failure(
        in store: SettingsStore, _ body: @escaping @Sendable () throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> String {
        let error = await #expect(throws: SettingsError.self, sourceLocation: sourceLocation) {
            try await store.domains[.secretStore].update(body)
        }
        return error?.description ?? ""
    }

    @Test("A secret that can't be read is not overwritten, but can be removed") func unreadable() async throws {
        let secrets = MemorySecrets(["pin": "1", "token": "hunter2"])
        let (store, settings) = try await openSecretGroup(secrets)
        secrets.failReading(["token"])
        let overwriting = await failure(in: store) {
            settings.pin = Secret(2)
            settings.token = Secret("new")
        }
        #expect(overwriting.contains("“token” is not overwritten") && overwriting.contains("“token” is locked away."))
        #expect(secrets.secrets == ["pin": "1", "token": "hunter2"] && settings.pin.revealed == 1)

        secrets.failWriting(["pin"])
        let removing: @Sendable () throws -> Void = {
            settings.token = nil
            settings.pin = Secret(2)
        }
        // The removal, which could not be taken back, comes last.
        let removal = await failure(in: store, removing)
        #expect(!removal.contains("could not be restored"))
        #expect(secrets.secrets == ["pin": "1", "token": "hunter2"])
        secrets.failWriting([])
        try await store.domains[.secretStore].update(removing)
        #expect(secrets.secrets == ["pin": "2"] && settings.token == nil && settings.pin.revealed == 2)
    }

    @Test("Removed secrets that could not be read are named if a later removal fails") func lost() async throws {
        let secrets = MemorySecrets(["list": #"["a"]"#, "token": "hunter2"])
        let (store, settings) = try await openSecretGroup(secrets)
        secrets.failReading(["list", "token"])
        secrets.failWriting(["token"])
        let text = await failure(in: store) {
            try settings.$list.reset()
            settings.token = nil
        }
        #expect(text.contains("The earlier secret could not be restored: “list”, “token”."), "\(text)")
        #expect(secrets.secrets == ["token": "hunter2"])
    }

    @Test("A secret that can't be taken back is named, and in force as the secret store has it") func torn()
        async throws
    {
        let secrets = MemorySecrets(["list": #"["old"]"#, "pin": "1"])
        let (store, settings) = try await openSecretGroup(secrets)
        secrets.beforeWriting { if $0 == "token" { secrets.failWriting(["token", "list"]) } }
        let text = await failure(in: store) {
            settings.list = [Secret("new")]
            settings.pin = Secret(2)
            settings.token = Secret("hunter2")
        }
        #expect(text.contains("“token” is read-only. The earlier secret could not be restored: “list”."), "\(text)")
        #expect(secrets.secrets == ["list": #"["new"]"#, "pin": "1"])
        #expect(settings.list.map(\.revealed) == ["new"] && settings.pin.revealed == 1 && settings.token == nil)
    }

    @Test("What another program has written meanwhile is not taken back") func others() async throws {
        let secrets = MemorySecrets(["list": #"["old"]"#])
        let (store, settings) = try await openSecretGroup(secrets)
        secrets.failWriting(["token"])
        secrets.beforeWriting { if $0 == "token" { secrets.set(#"["theirs"]"#, at: "list") } }
        let text = await failure(in: store) {
            settings.list = [Secret("new")]
            settings.token = Secret("hunter2")
        }
        #expect(text.contains("“token” is read-only.") && !text.contains("could not be restored"), "\(text)")
        #expect(secrets.secrets == ["list": #"["theirs"]"#] && settings.list.map(\.revealed) == ["theirs"])
    }

    @Test("An update that has written its secrets succeeds, even if the store is closed meanwhile")
    func closing() async throws {
        let secrets = MemorySecrets()
        let (store, settings) = try await openSecretGroup(secrets)
        secrets.beforeWriting { [core = store.core] _ in core.writer.withLock { core.mode = .closed } }
        try await store.domains[.secretStore].update { settings.token = Secret("hunter2") }
        #expect(secrets.secrets == ["token": "hunter2"])
        secrets.beforeWriting(nil)
        store.core.writer.withLock { store.core.mode = .direct }
        try await store.close()
    }

    @Test("An update that fails to write its secrets is reported if it has also written another store")
    func otherStore() async throws {
        let secrets = MemorySecrets()
        let (store, settings) = try await openSecretGroup(secrets)
        let other = try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self)
        let issues = ChangeRecorder(store.issues)
        let rotate: @Sendable () throws -> Void = {
            settings.token = Secret("hunter2")
            other.count += 1
        }
        try await store.domains[.secretStore].update(rotate)
        secrets.failWriting(["token"])
        _ = await failure(in: store) {
            settings.token = Secret("new")
            other.count += 1
        }
        #expect(other.count == 2 && settings.token?.revealed == "hunter2")
        try await store.close()
        #expect(await issues.untilEnd().map(\.code) == [.partlyUndone])
    }

    @Test("A nested transaction that fails takes back its secrets alone") func nested() async throws {
        let secrets = MemorySecrets(["list": #"["old"]"#])
        let (store, settings) = try await openSecretGroup(secrets)
        try await store.domains[.secretStore].update {
            settings.pin = Secret(1)
            #expect(throws: TestFailure.self) {
                try settings.update {
                    settings.pin = Secret(2)
                    settings.token = Secret("lost")
                    try settings.update { settings.list = [] }
                    throw TestFailure()
                }
            }
            #expect(settings.pin.revealed == 1 && settings.token == nil && settings.list.map(\.revealed) == ["old"])
        }
        #expect(secrets.secrets == ["list": #"["old"]"#, "pin": "1"] && settings.pin.revealed == 1)
    }

    @Test("A secret that was written, and can't be read again, is in force") func unreadableAfterwards() async throws {
        let secrets = MemorySecrets(["token": "old"])
        let (store, settings) = try await openSecretGroup(secrets)
        secrets.beforeWriting { secrets.failReading([$0]) }
        try await store.domains[.secretStore].update { settings.token = Secret("hunter2") }
        #expect(secrets.secrets == ["token": "hunter2"] && settings.token?.revealed == "hunter2")
    }
}

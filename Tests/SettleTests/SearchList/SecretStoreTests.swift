import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

private struct OwnedSecret: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting(storedIn: .secrets) var token: Secret<String>?
}

private struct OtherSecret: SettingsGroup {
    @Setting(storedIn: .secrets) var key: Secret<String>?
}

/// A secret whose stored forms have different types, so that the text of one may mean another.
private enum Code: Codable, Sendable, Equatable, SecretValue {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .number(try container.decode(Int.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}

private struct CodeGroup: SettingsGroup {
    @Setting(storedIn: .secrets) var code = Code.text("")
}

/// Settings that are stored in the secret store.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SecretStoreTests {
    private func open(
        _ secrets: MemorySecrets? = nil, on storage: any Storage = InMemoryStorage()
    ) async throws -> (SettingsStore, SecretGroup) {
        try await openSecretGroup(secrets, on: storage)
    }

    private func update(_ store: SettingsStore, _ body: @escaping @Sendable () throws -> Void) async throws {
        try await store.domains[.secretStore].update(author: "test", body)
    }

    @Test("An update writes the secret store, and nothing reaches the application's storage")
    func writing() async throws {
        let (secrets, storage) = (MemorySecrets(), InMemoryStorage())
        let (store, settings) = try await open(secrets, on: storage)
        var changes = settings.changes.makeAsyncIterator()
        let seen = try await store.domains[.secretStore].update(author: "test") {
            settings.token = Secret("hunter2")
            settings.pin = Secret(42)
            return settings.pin.revealed
        }
        #expect(seen == 42 && settings.token?.revealed == "hunter2" && settings.pin.revealed == 42)
        #expect(secrets.secrets == ["token": "hunter2", "pin": "42"])
        #expect(settings.$token.domains.current == .secretStore)
        let change = try #require(await changes.next())
        #expect(change.author == "test" && change.domain == .secretStore && !printed(change).contains("hunter2"))
        try await store.flush()
        #expect(storage.tree == SettingTree() && store.domains[.secretStore].values == SettingTree())
        let text = store.keys.explanation(forKey: "token").description
        #expect(text.contains("the test's secret “token”") && !text.contains("hunter2"))

        try await update(store) {
            settings.token = nil
            try settings.$pin.reset()
        }
        #expect(settings.token == nil && settings.pin.revealed == 0 && secrets.secrets.isEmpty)
        try await store.close()
        #expect(secrets.isClosed)
    }

    @Test("Values of every form are read again as they were, also by the next program") func forms() async throws {
        let secrets = MemorySecrets()
        let (store, settings) = try await open(secrets)
        let texts = ["", "\n", "[1]", "{", "null", "5", "yes", "a,b", "é\u{1F511}", "\"quoted\""]
        for text in texts {
            try await update(store) {
                settings.token = Secret(text)
                settings.table["key"] = Secret(text)
                settings.list = [Secret(text), Secret("x")]
            }
            #expect(settings.token?.revealed == text)
            let (other, again) = try await open(MemorySecrets(secrets.secrets))
            #expect(again.token?.revealed == text && again.table["key"]?.revealed == text)
            #expect(again.list.map(\.revealed) == [text, "x"])
            try await other.close()
        }
    }

    @Test("A value whose text would be read as another one is refused") func ambiguous() async throws {
        let secrets = MemorySecrets()
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.secretStore(secrets), .application])
        let settings = try await store.group(CodeGroup.self)
        let error = await #expect(throws: SettingsError.self) { try await update(store) { settings.code = .number(5) } }
        #expect(error?.code == .encodingFailed && secrets.secrets.isEmpty && settings.code == .text(""))
        try await update(store) { settings.code = .text("5") }
        #expect(secrets.secrets == ["code": "5"] && settings.code == .text("5"))
    }

    @Test("An update is one change with its author, even if a group with other secrets is opened meanwhile")
    func oneChange() async throws {
        let secrets = MemorySecrets(["token": "old", "pin": "1", "other.key": "present"])
        let (store, settings) = try await open(secrets)
        var changes = settings.changes.makeAsyncIterator()
        let isOpened = LockedValue(false)
        secrets.beforeReading { key in
            // Both are written, and one of them may have been read again.
            guard key == "token", secrets.secrets["token"] == "new" else { return }
            let isFirst = isOpened.withLock { isOpened in
                defer { isOpened = true }
                return !isOpened
            }
            if isFirst {
                #expect(throws: Never.self) { try store.core.open(OtherSecret(), at: "other", waiting: true) }
            }
        }
        try await update(store) {
            settings.pin = Secret(2)
            settings.token = Secret("new")
        }
        secrets.beforeReading(nil)
        #expect(isOpened.withLock { $0 })
        let change = try #require(await changes.next())
        #expect(change.author == "test" && Set(change.mutations.map(\.key)) == ["pin", "token"])
        #expect(try await store.group(OtherSecret.self, at: "other").key?.revealed == "present")
    }

    @Test("A change in place begins with the value in force") func changeInPlace() async throws {
        let (store, settings) = try await open(MemorySecrets(["inner.table": #"{"a":"1"}"#]))
        try await update(store) {
            settings.table["b"] = Secret("2")
            settings.table["c"] = Secret("3")
        }
        #expect(settings.table.mapValues(\.revealed) == ["a": "1", "b": "2", "c": "3"])
    }

    @Test("Any other write is refused, and says where the setting is stored", arguments: [true, false])
    func otherWrites(hasSecretStore: Bool) async throws {
        let storage = InMemoryStorage()
        let (store, settings) = try await open(hasSecretStore ? MemorySecrets() : nil, on: storage)
        var issues = store.issues.makeAsyncIterator()
        settings.token = Secret("hunter2")
        let issue = try #require(await issues.next())
        #expect(issue.code == .secretStore && issue.key == "token" && !printed(issue).contains("hunter2"))
        #expect(issue.description.contains(hasSecretStore ? "the domain “secret store”" : "the store has none"))
        settings.list.append(Secret("hunter2"))
        #expect(await issues.next()?.key == "list")

        func expectRefusal(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
            do {
                try body()
                Issue.record("It was not refused.", sourceLocation: sourceLocation)
            } catch {
                let codes = (error as? SettingsError).map { [$0.code] + $0.problems.map(\.code) }
                #expect(codes?.contains(.secretStore) == true, "\(error)", sourceLocation: sourceLocation)
                #expect(!printed(error).contains("hunter2"), sourceLocation: sourceLocation)
            }
        }
        expectRefusal { try settings.$token.set(Secret("hunter2")) }
        expectRefusal {
            try settings.update {
                settings.name = "lost"
                settings.token = Secret("hunter2")
            }
        }
        expectRefusal { try settings.$token.reset() }
        expectRefusal { try store.keys.setValue("hunter2", forKey: "token") }
        expectRefusal { try store.keys.removeValue(forKey: "token") }
        expectRefusal { try store.file.import(Data(#"{"name": "lost", "token": "hunter2"}"#.utf8)) }
        let draft = settings.draft()
        draft.token = Secret("hunter2")
        expectRefusal { try draft.apply() }
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.token = Secret("hunter2") } }
        #expect(settings.token == nil && settings.list == [] && settings.name == "default")
        try await store.flush()
        #expect(storage.tree == SettingTree())
    }

    @Test("No other domain takes a secret of the secret store, and the secret store takes no other setting")
    func otherDomains() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.secretStore(MemorySecrets()), .application, .registration])
        let settings = try await store.group(SecretGroup.self)
        func code(_ name: DomainName, _ body: @escaping @Sendable () throws -> Void) async -> SettingsError.Code? {
            let error = await #expect(throws: SettingsError.self) { try await store.domains[name].update(body) }
            return error?.code
        }
        #expect(await code(.registration) { settings.token = Secret("hunter2") } == .secretStore)
        #expect(await code(.secretStore) { settings.name = "other" } == .secretStore)
        #expect(await code(.secretStore) { settings.plain = Secret("hunter2") } == .secretStore)
        #expect(await code(.secretStore) { try store.keys.setValue("hunter2", forKey: "unknown") } == .secretStore)
        #expect(await code(.secretStore) { settings.pin = Secret(100) } == .invalidValue)
        #expect(settings.token == nil && settings.name == "default" && settings.pin.revealed == 0)
        await #expect(throws: SettingsError.self) {
            try await store.domains[.secretStore].replace(with: SettingTree(["token": .string("x")]))
        }
    }

    @Test("If a secret can't be written, none is") func failures() async throws {
        let secrets = MemorySecrets(["list": #"["old"]"#, "pin": "1"])
        let (store, settings) = try await open(secrets)
        let write = { @Sendable in
            settings.list = [Secret("new")]
            settings.pin = Secret(2)
            settings.token = Secret("hunter2")
        }
        secrets.failWriting(["token"])
        let error = await #expect(throws: SettingsError.self) { try await update(store, write) }
        #expect(error?.code == .storage && error?.description.contains("“token” is read-only.") == true)
        #expect(secrets.secrets == ["list": #"["old"]"#, "pin": "1"])
        #expect(settings.list.map(\.revealed) == ["old"] && settings.pin.revealed == 1 && settings.token == nil)

        secrets.failWriting([])
        try await update(store, write)
        #expect(settings.list.map(\.revealed) == ["new"] && settings.pin.revealed == 2 && settings.token != nil)
    }

    @Test("An error of the closure writes nothing") func thrown() async throws {
        let secrets = MemorySecrets()
        let (store, settings) = try await open(secrets)
        await #expect(throws: TestFailure.self) {
            try await update(store) {
                settings.token = Secret("hunter2")
                throw TestFailure()
            }
        }
        #expect(secrets.secrets.isEmpty && settings.token == nil)
    }

    @Test("Changes by others arrive, and a secret that can't be read keeps its last value") func others() async throws {
        let secrets = MemorySecrets(["token": "1", "plain": "2", "name": "not a secret", "other": "unknown"])
        let (store, settings) = try await open(secrets)
        #expect(settings.token?.revealed == "1" && settings.plain?.revealed == "2" && settings.name == "default")
        #expect(try store.keys.value(forKey: "other", as: String.self) == nil)
        var issues = store.issues.makeAsyncIterator()
        secrets.failReading(["token"])
        let issue = try #require(await issues.next())
        #expect(issue.description.contains("“token” is locked away."))
        secrets.set("3", at: "plain")
        try await eventually("the other secret has arrived") { settings.plain?.revealed == "3" }
        #expect(settings.token?.revealed == "1")
        secrets.set("4", at: "token")
        secrets.failReading([])
        try await eventually("the secret has arrived") { settings.token?.revealed == "4" }
    }

    @Test("A value in the settings is used, reported, and removed by the next write") func earlierValue() async throws {
        let storage = InMemoryStorage(
            SettingTree(["token": .string("earlier"), "name": .string("kept"), "pin": .integer(7)]))
        let secrets = MemorySecrets()
        let (store, settings) = try await open(secrets, on: storage)
        var issues = store.issues.makeAsyncIterator()
        let issue = try #require(await issues.next())
        #expect(issue.code == .secretStore && issue.key == "token" && !printed(issue).contains("earlier"))
        #expect(await issues.next()?.key == "pin")
        #expect(settings.token?.revealed == "earlier" && settings.pin.revealed == 7)
        // As it is, too.
        try await update(store) { settings.pin = Secret(7) }
        #expect(settings.pin.revealed == 7 && secrets.secrets == ["pin": "7"])
        #expect(storage.tree == SettingTree(["token": .string("earlier"), "name": .string("kept")]))
        for includesSecrets in [true, false] {
            let data = try await store.file.export(includingSecrets: includesSecrets)
            #expect(!String(decoding: data, as: UTF8.self).contains("earlier"))
        }
        try await update(store) { settings.token = Secret("new") }
        #expect(settings.token?.revealed == "new" && secrets.secrets == ["token": "new", "pin": "7"])
        #expect(storage.tree == SettingTree(["name": .string("kept")]))
        try await update(store) { settings.token = nil }
        #expect(settings.token == nil)
    }

    @Test("The removal of a secret does not bring a value of the settings back into force") func revoked() async throws
    {
        let storage = InMemoryStorage(SettingTree(["token": .string("old")]))
        let (store, settings) = try await open(MemorySecrets(["token": "new"]), on: storage)
        var changes = settings.changes.makeAsyncIterator()
        try await update(store) { settings.token = nil }
        #expect(settings.token == nil && storage.tree == SettingTree())
        var seen: [String] = []
        while let change = await changes.next(), let token = change.mutations.first?.newValue as? Secret<String> {
            seen.append(token.revealed)
        }
        #expect(!seen.contains("old"))
    }

    @Test("An owner-only group can't have such a setting, and the secret store comes before the settings")
    func refusedDeclarations() async throws {
        let (store, _) = try await open(MemorySecrets())
        let owned = await #expect(throws: SettingsError.self) { try await store.group(OwnedSecret.self, at: "owned") }
        #expect(owned?.code == .secretStore)
        let below = await #expect(throws: SettingsError.self) {
            try await SettingsStore.open(
                storage: InMemoryStorage(), searching: [.application, .secretStore(MemorySecrets())])
        }
        #expect(below?.code == .domain)
    }

    @Test("A group that no store has opened keeps such a setting in memory") func unopened() throws {
        let settings = SecretGroup()
        settings.token = Secret("preview")
        settings.list.append(Secret("x"))
        #expect(settings.token?.revealed == "preview" && settings.list.count == 1)
    }
}

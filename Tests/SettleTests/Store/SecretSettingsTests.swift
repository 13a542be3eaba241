import Settle
import SettleTesting
import Testing

private let marker = "hunter2"
private let number = 987_654_321

/// An app's own secret type, whose descriptions and coder reveal everything.
private struct Token: SecretValue, Codable, Equatable {
    var text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
        guard !text.hasSuffix("!") else { throw TokenError(text: text) }
    }

    func encode(to encoder: any Encoder) throws {
        guard !text.hasSuffix("?") else { throw TokenError(text: text) }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private struct TokenError: Error {
    var text: String
}

private struct PIN: SecretValue, Codable, Equatable, Comparable {
    var digits: Int

    init(_ digits: Int) { self.digits = digits }
    init(from decoder: any Decoder) throws { digits = try decoder.singleValueContainer().decode(Int.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(digits)
    }
    static func < (lhs: PIN, rhs: PIN) -> Bool { lhs.digits < rhs.digits }
}

private struct SecretSettings: SettingsGroup {
    @Setting(.check("short") { $0.text.count < 12 }) var token = Token("")
    @Setting(in: PIN(0)...PIN(number)) var pin = PIN(0)
    @Setting(.oneOf([PIN(0), PIN(number)])) var choice = PIN(0)
    @Setting var wrapped: Secret<String>?
    @Setting var table: [String: Secret<String>] = [:]
    @Setting var list: [Token]?
    @Setting var plain = ""
}

private struct BrokenDefault: SettingsGroup {
    @Setting(.check("empty") { $0.text.isEmpty }) var token = Token(marker)
}

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SecretSettingsTests {
    private let long = marker + " " + marker

    private func expectNoSecret(
        in error: SettingsError?, key: String, rule: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = printed(error as Any)
        #expect(!text.contains(marker) && !text.contains("\(number)"), "\(text)", sourceLocation: sourceLocation)
        #expect(error?.key == key && error?.value == nil && error?.rule == rule, sourceLocation: sourceLocation)
        #expect(error?.description.contains("“\(key)”") == true, sourceLocation: sourceLocation)
    }

    private func open(
        _ values: SettingValue.Entries = [:]
    ) async throws -> (store: SettingsStore, settings: SecretSettings, storage: InMemoryStorage) {
        let storage = InMemoryStorage(SettingTree(values))
        let store = try await SettingsStore.open(storage: storage)
        return (store, try await store.group(SecretSettings.self), storage)
    }

    private func issues(_ count: Int, of store: SettingsStore) async -> [SettingsError] {
        var issues: [SettingsError] = []
        for await issue in store.issues {
            issues.append(issue)
            if issues.count == count { break }
        }
        return issues.sorted { ($0.key ?? "") < ($1.key ?? "") }
    }

    @Test("A refused assignment reveals neither the value nor the values in its rule") func rules() async throws {
        let (store, settings, _) = try await open()
        settings.token = Token(long)
        settings.pin = PIN(number + 1)
        settings.choice = PIN(number - 1)
        let issues = await issues(3, of: store)
        expectNoSecret(in: issues[0], key: "choice", rule: "one of 2 values")
        expectNoSecret(in: issues[1], key: "pin", rule: "in a range")
        expectNoSecret(in: issues[2], key: "token", rule: "short")
        #expect(issues[2].description == "“token” can't be ••••: it must be short. The old value stays.")
        let set = #expect(throws: SettingsError.self) { try settings.$token.set(Token(long)) }
        expectNoSecret(in: set, key: "token", rule: "short")
        let update = #expect(throws: SettingsError.self) { try settings.update { settings.token = Token(long) } }
        expectNoSecret(in: update, key: "token", rule: "short")
        #expect(store.settings.allSatisfy { !printed($0).contains("\(number)") })
        let standard = await #expect(throws: SettingsError.self) { try await store.group(BrokenDefault.self, at: "b") }
        #expect(standard?.value == nil && !printed(standard as Any).contains(marker))
    }

    @Test("An unusable stored value is not revealed") func loading() async throws {
        let (store, settings, _) = try await open([
            "token": .string(marker + "!"), "pin": .integer(Int64(number) + 1), "choice": .string("\(number)"),
            "wrapped": .integer(Int64(number)), "table": .dictionary(["a": .number("\(number)000000000000000000")]),
            "list": .array([.string(marker), .string(marker + "!")]),
        ])
        let issues = await issues(6, of: store)
        #expect(issues.allSatisfy { $0.code == .unusableValue })
        for (issue, key) in zip(issues, ["choice", "list", "pin", "table", "token", "wrapped"]) {
            expectNoSecret(in: issue, key: key, rule: key == "pin" ? "in a range" : nil)
        }
        #expect(
            issues[5].description
                == "The stored value of “wrapped” can't be used: it is not of the setting's type. The default is used "
                + "instead; the stored value is kept until the key is written.")
        #expect(settings.wrapped == nil)
    }

    @Test("An unusable external value is not revealed") func external() async throws {
        let (store, settings, storage) = try await open()
        storage.simulateExternalChange(
            SettingTree([
                "token": .string(long), "wrapped": .array([.string(marker)]), "list": .integer(Int64(number)),
            ]))
        let issues = await issues(3, of: store)
        expectNoSecret(in: issues[0], key: "list")
        expectNoSecret(in: issues[1], key: "token", rule: "short")
        expectNoSecret(in: issues[2], key: "wrapped")
        #expect(settings.token == Token(""))
    }

    @Test("A refused write by key reveals no secret, not even one meant for another setting")
    func writingByKey() async throws {
        let (store, settings, _) = try await open()
        func refusal(_ value: SettingValue, _ key: String) -> SettingsError? {
            #expect(throws: SettingsError.self) { try store.keys.setValue(value, forKey: key) }
        }
        expectNoSecret(in: refusal(.string(marker + "!"), "token"), key: "token")
        expectNoSecret(in: refusal(.string(long), "token"), key: "token", rule: "short")
        expectNoSecret(in: refusal(.integer(Int64(number)), "wrapped"), key: "wrapped")
        expectNoSecret(in: refusal(.string("\(number)"), "pin"), key: "pin")
        #expect(refusal(.string(long), "token")?.code == .invalidValue)
        #expect(refusal(.string(marker + "!"), "token")?.code == .unusableValue)
        let generic = #expect(throws: SettingsError.self) { try store.keys.setValue(long, forKey: "token") }
        expectNoSecret(in: generic, key: "token", rule: "short")
        let other = #expect(throws: SettingsError.self) { try store.keys.setValue(PIN(number), forKey: "plain") }
        expectNoSecret(in: other, key: "plain")
        let unspellable = #expect(throws: SettingsError.self) {
            try store.keys.setValue(Token(marker + "?"), forKey: "undeclared")
        }
        expectNoSecret(in: unspellable, key: "undeclared")
        #expect(settings.token == Token(""))
    }

    @Test("Reading a key as another type does not reveal the stored secret, even after its group is gone")
    func readingByKey() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        func expectRefusals(sourceLocation: SourceLocation = #_sourceLocation) {
            for key in ["a.wrapped", "a.pin", "a.table", "a.table.x", "a"] {
                let error = #expect(throws: SettingsError.self, sourceLocation: sourceLocation) {
                    try store.keys.value(forKey: key, as: [Bool: Bool].self)
                }
                expectNoSecret(in: error, key: key, sourceLocation: sourceLocation)
            }
        }
        do {
            let settings = try await store.group(SecretSettings.self, at: "a")
            try await settings.commit {
                settings.wrapped = Secret(marker)
                settings.pin = PIN(number)
                settings.table["x"] = Secret(marker)
            }
            expectRefusals()
        }
        expectRefusals()
        #expect(try store.keys.value(forKey: "a.wrapped", as: String.self) == marker)
    }

    @Test("A secret that can't be encoded is not revealed") func encoding() async throws {
        let (store, settings, _) = try await open()
        settings.list = [Token(marker + "?")]
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        expectNoSecret(in: error, key: "list")
        #expect(error?.code == .encodingFailed && error?.underlying == nil)
        #expect(!printed(store.status).contains(marker))
    }

    @Test("Changes, mutations and listings do not reveal secrets, although typed access returns them")
    func changes() async throws {
        let (store, settings, storage) = try await open()
        var changes = settings.changes.makeAsyncIterator()
        try settings.update {
            settings.token = Token(marker)
            settings.wrapped = Secret(marker)
            settings.pin = PIN(number)
            settings.plain = "plain"
        }
        let change = try #require(await changes.next())
        let text = printed(change) + change.mutations.map { printed($0) }.joined() + printed(change.mutations)
        #expect(!text.contains(marker) && !text.contains("\(number)") && text.contains("plain"))
        #expect("\(change.mutations[0])" == "token: •••• → ••••")
        #expect("\(change.mutations[3])" == "plain: \"\" → \"plain\"")
        #expect(change.mutations.map(\.isSecret) == [true, true, true, false])
        #expect(change.mutations.map(\.newStoredValue) == [nil, nil, nil, .string("plain")])
        #expect(change[settings.$token]?.newValue == Token(marker))
        let listed = store.settings
        #expect(
            listed.filter { $0.key != "plain" }.allSatisfy { $0.isSecret && $0.value == nil && $0.defaultValue == nil })
        #expect(!printed(listed).contains(marker) && !printed(listed).contains("\(number)"))
        try await store.flush()
        #expect(storage.tree["wrapped"] == .string(marker) && storage.tree["pin"] == .integer(Int64(number)))
    }

    @Test("A dump of a group, a store or a sequence reveals no secret") func dumps() async throws {
        let (store, settings, _) = try await open(["wrapped": .string(marker), "undeclared": .string(marker)])
        settings.token = Token(marker)
        for value: Any in [
            store, settings, settings.$token, settings.snapshot(), store.changes, settings.snapshots { $0.token },
            settings.$token.makeAsyncIterator(), store.changes.makeAsyncIterator(), store.statistics,
        ] {
            #expect(!printed(value).contains(marker))
        }
    }

    @Test("A key around a secret can't be written, and a write to its own key makes a secret mutation")
    func around() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        do { _ = try await store.group(SecretSettings.self, at: "a") }
        var changes = store.changes.makeAsyncIterator()
        let error = #expect(throws: SettingsError.self) {
            try store.keys.setValue(.dictionary(["wrapped": .string(marker)]), forKey: "a")
        }
        expectNoSecret(in: error, key: "a")
        try store.keys.setValue(.string(marker), forKey: "a.wrapped")
        let change = try #require(await changes.next())
        #expect(change.mutations[0].isSecret && !printed(change).contains(marker))
    }
}

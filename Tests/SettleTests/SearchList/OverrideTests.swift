import Settle
import SettleTesting
import Testing

/// Values that code puts over settings.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct OverrideTests {
    private func open() async throws -> (SettingsStore, LayeredGroup, InMemoryStorage) {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(
            storage: storage, searching: [.overrides, .application, .language(["pt-BR", "de"]), .registration])
        return (store, try await store.group(LayeredGroup.self), storage)
    }

    @Test("The newest override wins until it is cancelled or released") func stack() async throws {
        let (store, settings, storage) = try await open()
        settings.count = 2
        let first = try store.domains.override(settings.$count, with: 10)
        var second: SettingOverride? = try store.domains.override(settings.$count, with: 20)
        #expect(settings.count == 20 && settings.$count.domains.current == .overrides)
        #expect(settings.$count.domains.origin == .override)
        first.cancel()
        #expect(settings.count == 20 && second != nil)
        second = nil
        #expect(settings.count == 2)
        first.cancel()
        try await store.flush()
        #expect(storage.tree["count"] == .integer(2))
    }

    @Test("One change for each override, with its origin") func changes() async throws {
        let (store, settings, _) = try await open()
        var changes = settings.changes.makeAsyncIterator()
        let override = try store.domains.override(settings.$name, with: "test", author: "preview")
        let begin = try #require(await changes.next())
        #expect(begin.origin == .override && begin.domain == .overrides && begin.author == "preview")
        #expect(begin.mutations[0].newValue as? String == "test")
        override.cancel()
        let end = try #require(await changes.next())
        #expect(end.mutations[0].newValue as? String == "default" && end.mutations[0].domain == .application)
        #expect(end.revision == begin.revision.map { $0 + 1 })
    }

    @Test("Refused: broken rules, owner's settings, other stores, transactions, stores without overrides")
    func refused() async throws {
        let (store, settings, _) = try await open()
        let owned = try await store.group(OwnedLayeredGroup.self, at: "lock")
        let broken = #expect(throws: SettingsError.self) { try store.domains.override(settings.$count, with: 101) }
        #expect(broken?.key == "count" && broken?.description.contains("“count”") == true)
        #expect(throws: SettingsError.self) { try store.domains.override(owned.$attempts, with: 0) }
        #expect(throws: SettingsError.self) { try store.domains.override(LayeredGroup().$count, with: 1) }
        #expect(throws: SettingsError.self) {
            try store.update { _ = try store.domains.override(settings.$count, with: 1) }
        }
        let plain = try await SettingsStore.open(storage: InMemoryStorage())
        let other = try await plain.group(LayeredGroup.self)
        #expect(throws: SettingsError.self) { try plain.domains.override(other.$count, with: 1) }
        #expect(settings.count == 1)
    }

    @Test("An override that ends within a transaction ends after it") func endsInTransaction() async throws {
        let (store, settings, _) = try await open()
        let override = try store.domains.override(settings.$count, with: 10)
        try store.update {
            override.cancel()
            settings.name = "x"
            #expect(settings.count == 10)
        }
        #expect(settings.count == 1 && settings.name == "x")
    }

    @Test("Registered defaults stand above the declarations', a language's above those") func registered()
        async throws
    {
        let (store, settings, _) = try await open()
        try store.domains.register(["count": 5, "inner.level": 0.75, "other": "text"])
        #expect(settings.count == 5 && settings.inner.level == 0.75 && settings.$count.domains.origin == .registration)
        #expect(try store.keys.value(forKey: "other", as: String.self) == "text")
        try store.domains.register(["name": "Name", "count": 6], language: "de")
        try store.domains.register(["name": "nome"], language: "pt")
        #expect(settings.name == "nome" && settings.count == 6 && settings.$name.domains.current == .language)
        settings.name = "own"
        try settings.$name.reset()
        #expect(settings.name == "nome" && settings.$name.domains.stored == nil)
        #expect(
            store.keys.effectiveValues["count"] == .integer(6) && store.keys.effectiveValues["other"] == .string("text")
        )
        #expect(store.domains[.registration].values["inner.level"] == .real(0.75))
    }

    @Test("The languages may be among the arguments") func languageArgument() async throws {
        let arguments = ["-AppleLanguages", "(de, fr)", "file"]
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.arguments(arguments), .application, .language(), .registration])
        let settings = try await store.group(OuterSettings.self)
        try store.domains.register(["inner.count": 1], language: "fr")
        try store.domains.register(["inner.count": 2], language: "de")
        #expect(settings.inner.count == 2)
        try await store.close()
    }

    @Test("A volatile domain is replaced, updated and removed by name") func replaced() async throws {
        let (store, settings, storage) = try await open()
        try await store.domains[.registration].update {
            settings.count = 30
            settings.name = "registered"
        }
        #expect(settings.count == 30 && settings.$count.domains.current == .registration)
        #expect(settings.$count.domains.stored == nil)
        await #expect(throws: SettingsError.self) {
            try await store.domains[.registration].update { settings.count = 101 }
        }
        try await store.domains[.registration].replace(with: plainTree(["count": 31]))
        #expect(settings.count == 31 && settings.name == "default")
        await #expect(throws: SettingsError.self) { try await store.domains[.global].update { settings.count = 2 } }
        #expect(store.domains.map(\.name) == [.overrides, .application, .language, .registration, .declaration])
        try await store.flush()
        #expect(storage.tree == SettingTree())
    }

    @Test("An update of a domain that also writes another store is reported only if it is undone")
    func twoStores() async throws {
        let (store, settings, _) = try await open()
        let other = try await SettingsStore.open(storage: InMemoryStorage()).group(CounterSettings.self)
        let issues = ChangeRecorder(store.issues)
        try await store.domains[.registration].update {
            settings.count = 30
            other.count = 1
        }
        #expect(settings.count == 30 && other.count == 1)
        await #expect(throws: TestFailure.self) {
            try await store.domains[.registration].update {
                other.count = 2
                throw TestFailure(number: 2)
            }
        }
        try await store.close()
        #expect(await issues.untilEnd().map(\.code) == [.partlyUndone])
    }

    @Test("A nested update that fails takes back its writes to a domain, and no others") func nested() async throws {
        let (store, settings, _) = try await open()
        try await store.domains[.registration].update {
            settings.count = 30
            try settings.update { settings.name = "registered" }
            #expect(throws: TestFailure.self) {
                try settings.update {
                    settings.count = 31
                    try settings.update { settings.name = "lost" }
                    throw TestFailure()
                }
            }
            #expect(settings.count == 30 && settings.name == "registered")
        }
        #expect(settings.count == 30 && settings.name == "registered")
        #expect(store.domains[.registration].values == plainTree(["count": 30, "name": "registered"]))
    }

    @Test("Arguments and variables may set registered keys, and a secret that is declared later is not taken")
    func registeredText() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: [
                .arguments(["--late.port", "81", "--verbose", "rest", "--token", "marker", "--count=9"]),
                .environment(prefix: "APP", variables: ["APP_LATE_HOST": "h", "APP_NAME": "n"]), .application,
                .registration,
            ])
        #expect(store.domains.remainingArguments.count == 7 && store.keys["late.port"] == nil)
        try store.domains.register(["late": ["port": "80", "host": "x"]])
        try store.domains.register(["verbose": false])
        try store.domains.register(["token": "t"])
        #expect(try store.keys.value(forKey: "late.port", as: String.self) == "81")
        #expect(try store.keys.value(forKey: "late.host", as: String.self) == "h")
        #expect(try store.keys.value(forKey: "verbose", as: String.self) == "true")
        #expect(store.domains.remainingArguments == ["rest", "--count=9"])
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.count == 9 && settings.name == "n" && settings.$token.domains.current != .arguments)
        #expect(store.domains.remainingArguments == ["rest"])
        #expect(throws: SettingsError.self) { try store.domains.register(["lateHost": 1, "late_host": 2]) }
    }
}

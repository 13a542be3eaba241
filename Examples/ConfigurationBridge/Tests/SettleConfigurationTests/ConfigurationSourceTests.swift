import Configuration
import Foundation
import Settle
import SettleConfiguration
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConfigurationSourceTests {
    /// Opens a store in memory, and collects its issues.
    private func open(
        searching list: SearchList, _ values: SettingValue.Entries = [:], issues: Guarded<[String]> = Guarded([])
    ) async throws -> SettingsStore {
        let store = try await SettingsStore.open(storage: InMemoryStorage(SettingTree(values)), searching: list)
        let stream = store.issues
        Task.detached {
            for await issue in stream { issues.withLock { $0.append("\(issue)") } }
        }
        return store
    }

    private func memory(_ name: String, _ values: [AbsoluteConfigKey: ConfigValue]) -> MutableInMemoryProvider {
        MutableInMemoryProvider(name: name, initialValues: values)
    }

    // MARK: Values

    @Test("A provider as a domain keeps all promises of a source") func conformance() async throws {
        let provider = Guarded(memory("tested", [:]))
        try await DomainSourceConformance.check(
            make: { number in
                let fresh = MutableInMemoryProvider(name: "tested \(number)", initialValues: [:])
                provider.withLock { $0 = fresh }
                let source = ConfigurationSource(fresh)
                source.declare(conformanceKeys.map { LookupKey($0, of: String.self) })
                return source
            },
            change: { _, tree in
                let current = provider.value
                for key in conformanceKeys {
                    var value: ConfigValue?
                    if case .string(let text)? = tree[key] { value = ConfigValue(.string(text), isSecret: false) }
                    current.setValue(value, forKey: AbsoluteConfigKey(key.components))
                }
            })
    }

    private func expectAll(of settings: ServiceSettings, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(settings.port == 9_090, sourceLocation: sourceLocation)
        #expect(settings.host == "example.com", sourceLocation: sourceLocation)
        #expect(settings.ratio == 0.25, sourceLocation: sourceLocation)
        #expect(settings.isVerbose, sourceLocation: sourceLocation)
        #expect(settings.salt == Data([1, 2, 3]), sourceLocation: sourceLocation)
        #expect(settings.hosts == ["a", "b"], sourceLocation: sourceLocation)
        #expect(settings.ports == [1, 2], sourceLocation: sourceLocation)
        #expect(settings.ratios == [0.5, 1], sourceLocation: sourceLocation)
        #expect(settings.flags == [true, false], sourceLocation: sourceLocation)
        #expect(settings.salts == [Data([1, 2, 3])], sourceLocation: sourceLocation)
        #expect(settings.timeout == .milliseconds(90_500), sourceLocation: sourceLocation)
        #expect(settings.start == Date(timeIntervalSince1970: 86_400), sourceLocation: sourceLocation)
        #expect(settings.mode == .thorough, sourceLocation: sourceLocation)
        #expect(settings.limits == ["read": 3], sourceLocation: sourceLocation)
    }

    @Test("Values of all types arrive with their types") func types() async throws {
        let values: [AbsoluteConfigKey: ConfigContent] = [
            "port": .int(9_090), "host": .string("example.com"), "ratio": .double(0.25), "isVerbose": .bool(true),
            "salt": .bytes([1, 2, 3]), "hosts": .stringArray(["a", "b"]), "ports": .intArray([1, 2]),
            "ratios": .doubleArray([0.5, 1]), "flags": .boolArray([true, false]),
            "salts": .byteChunkArray([[1, 2, 3]]), "timeout": .double(90.5), "start": .int(86_400),
            "mode": .string("thorough"), "limits": .string("{\"read\": 3}"),
        ]
        let provider = InMemoryProvider(name: "typed", values: values.mapValues { ConfigValue($0, isSecret: false) })
        let store = try await open(searching: [.configuration(provider), .application])
        expectAll(of: try await store.group(ServiceSettings.self))
        try await store.close()
    }

    @Test("Texts, such as those of variables, get the types of the declarations") func texts() async throws {
        let provider = EnvironmentVariablesProvider(environmentVariables: [
            "PORT": "9090", "HOST": "example.com", "RATIO": "0.25", "IS_VERBOSE": "yes", "SALT": "AQID",
            "HOSTS": "a,b", "PORTS": "1,2", "RATIOS": "0.5,1", "FLAGS": "true,false", "SALTS": "AQID",
            "TIMEOUT": "90.5s", "START": "1970-01-02T00:00:00Z", "MODE": "thorough", "LIMITS": "{\"read\": 3}",
        ])
        let store = try await open(searching: [.configuration(provider), .application])
        expectAll(of: try await store.group(ServiceSettings.self))
        try await store.close()
    }

    @Test("An explanation names each provider and the key as the provider spells it") func explanation() async throws {
        let variables = EnvironmentVariablesProvider(environmentVariables: ["SERVICE_PORT": "9090"])
        let file = memory("file", ["service.port": 1_000, "service.host": "example.com"])
        let store = try await open(
            searching: [.configuration(variables), .application, .configuration(file, named: "file")])
        let settings = try await store.group(ServiceSettings.self, at: "service")
        #expect(settings.port == 9_090)
        #expect(settings.host == "example.com")
        let answers = store.keys.explanation(forKey: "service.port").answers
        #expect(answers.map(\.domain) == ["EnvironmentVariablesProvider", "file", "declaration"])
        #expect(answers.map(\.outcome) == [.inForce, .covered, .covered])
        #expect(answers.first?.place == "“SERVICE_PORT” in EnvironmentVariablesProvider")
        #expect(answers.dropFirst().first?.place == "“service.port” in MutableInMemoryProvider[file]")
        settings.port = 2_000
        settings.host = "own.example.com"
        #expect(settings.port == 9_090)
        #expect(settings.host == "own.example.com")
        try await store.close()
    }

    @Test("A provider's keys can be below another prefix") func prefix() async throws {
        let provider = memory("file", ["app.port": 9_090]).prefixKeys(with: "app")
        let store = try await open(searching: [.configuration(provider), .application])
        #expect(try await store.group(ServiceSettings.self).port == 9_090)
        try await store.close()
    }

    @Test("A reader gives the values below its scope, of its first provider that has one") func reader() async throws {
        let (first, second) = (
            memory("first", ["app.port": 9_090]), memory("second", ["app.port": 1, "app.host": "b"])
        )
        let reader = ConfigReader(providers: [first, second]).scoped(to: "app")
        let store = try await open(searching: [.configuration(reader, named: "configuration"), .application])
        let settings = try await store.group(ServiceSettings.self)
        #expect(settings.port == 9_090)
        #expect(settings.host == "b")
        let place = store.keys.explanation(forKey: "port").answers.first?.place
        #expect(place?.contains("MutableInMemoryProvider[first], MutableInMemoryProvider[second]") == true)
        first.setValue(nil, forKey: "app.port")
        try await eventually("the second provider's value is in force") { settings.port == 1 }
        try await store.close()
    }

    // MARK: Changes

    @Test("A change of a provider is one change of the store, and a removal falls through") func changes() async throws
    {
        let provider = memory("remote", ["port": 9_090])
        let store = try await open(searching: [.configuration(provider), .application], ["port": .integer(1_000)])
        let settings = try await store.group(ServiceSettings.self)
        #expect(settings.port == 9_090)
        var changes = settings.changes.makeAsyncIterator()
        provider.setValue(9_091, forKey: "port")
        let change = await changes.next()
        #expect(change?.domain == "MutableInMemoryProvider[remote]")
        #expect(change?.mutations.map(\.key) == ["port"])
        #expect(settings.port == 9_091)
        provider.setValue(nil, forKey: "port")
        try await eventually("the store's own value is in force") { settings.port == 1_000 }
        try await store.close()
    }

    @Test("The last of many changes is always in force") func manyChanges() async throws {
        let provider = memory("remote", [:])
        let store = try await open(searching: [.configuration(provider), .application])
        let settings = try await store.group(ServiceSettings.self)
        for port in 1...1_000 { provider.setValue(ConfigValue(.int(port), isSecret: false), forKey: "port") }
        try await eventually("the last value is in force") { settings.port == 1_000 }
        try await store.close()
    }

    @Test("A group that is opened later has the provider's newest values at once") func laterGroup() async throws {
        let provider = memory("remote", [:])
        let store = try await open(searching: [.configuration(provider), .application])
        _ = try await store.group(ServiceSettings.self)
        provider.setValue(9_091, forKey: "second.port")
        #expect(try await store.group(ServiceSettings.self, at: "second").port == 9_091)
        try await store.close()
    }

    @Test("A load does not bring back the value of an earlier declaration") func redeclared() {
        let hook = LookupHook()
        let source = ConfigurationSource(
            ConfigReader(provider: memory("numbers", ["port": 9_090]), accessReporter: hook))
        source.declare([LookupKey("port", of: Int.self)])
        #expect(source.contents.tree["port"] == .integer(9_090))
        // While the load looks the number up, the key becomes that of a text, which the provider does not have.
        hook.runOnce { source.declare([LookupKey("port", of: String.self)]) }
        #expect(source.load().tree["port"] != .integer(9_090))
        #expect(source.contents.tree["port"] != .integer(9_090))
    }

    @Test("A store that closes no longer watches the provider") func closing() async throws {
        let provider = memory("remote", [:])
        let store = try await open(searching: [.configuration(provider), .application])
        try await eventually("the provider is watched") { provider.description.contains("1 watchers") }
        try await store.close()
        try await eventually("the provider is not watched") { provider.description.contains("0 watchers") }
    }

    // MARK: Values that can't be used

    @Test("A value of the wrong type, or against the rule, is refused by name, and the next domain is searched")
    func unusable() async throws {
        let provider = memory(
            "remote", ["port": 0, "ratio": "a lot", "isVerbose": .init(.intArray([1]), isSecret: false)])
        let issues = Guarded<[String]>([])
        let store = try await open(
            searching: [.configuration(provider), .application], ["port": .integer(1_000)], issues: issues)
        let settings = try await store.group(ServiceSettings.self)
        #expect(settings.port == 1_000)
        #expect(settings.ratio == 0.5)
        #expect(!settings.isVerbose)
        for key in ["port", "ratio", "isVerbose"] {
            try await eventually("an issue names “\(key)” and the provider") {
                issues.value.contains { $0.contains("“\(key)”") && $0.contains("MutableInMemoryProvider[remote]") }
            }
        }
        provider.setValue(9_090, forKey: "port")
        try await eventually("the corrected value is in force") { settings.port == 9_090 }
        try await store.close()
    }

    @Test("A provider's secret is only used for a setting that is one, and never shown") func secrets() async throws {
        let secret = ConfigValue(.string("hunter2"), isSecret: true)
        let provider = memory("vault", ["token": secret, "host": secret])
        let issues = Guarded<[String]>([])
        let store = try await open(searching: [.configuration(provider), .application], issues: issues)
        let settings = try await store.group(ServiceSettings.self)
        #expect(settings.token.revealed == "hunter2")
        #expect(settings.host == "localhost")
        try await eventually("an issue names the setting") { issues.value.contains { $0.contains("“host”") } }
        let shown = issues.value + ["token", "host"].map { "\(store.keys.explanation(forKey: $0))" }
        #expect(!shown.contains { $0.contains("hunter2") })
        try await store.close()
    }

    @Test("A reader's access reporter never gets a declared secret in the open") func reportedSecrets() async throws {
        let reporter = SecrecyReporter()
        let reader = ConfigReader(
            provider: memory("vault", ["token": "hunter2", "host": "example.com"]), accessReporter: reporter)
        let store = try await open(searching: [.configuration(reader, named: "configuration"), .application])
        #expect(try await store.group(ServiceSettings.self).token.revealed == "hunter2")
        #expect(reporter.values("token") == [true])
        #expect(reporter.values("host") == [false])
        try await store.close()
    }

    @Test("A provider that fails leaves its values out, and one that can't be watched is reported") func failing()
        async throws
    {
        let issues = Guarded<[String]>([])
        let store = try await open(
            searching: [.configuration(FailingProvider()), .application], ["port": .integer(1_000)], issues: issues)
        let settings = try await store.group(ServiceSettings.self)
        #expect(settings.port == 1_000)
        for text in [
            "“port” in FailingProvider is not used: no answer", "Changes of FailingProvider are no longer seen",
        ] {
            try await eventually("an issue says “\(text)”") { issues.value.contains { $0.contains(text) } }
        }
        #expect(!issues.value.contains { $0.contains("“token”") && $0.contains("no answer") })
        try await store.close()
    }
}

private let conformanceKeys: [SettingKey] = ["name", "group.inner", "group.other", "new"]

/// Whether the values of each key were reported as secrets.
private final class SecrecyReporter: AccessReporter {
    private let secrecy = Guarded<[String: Set<Bool>]>([:])

    func report(_ event: AccessEvent) {
        guard case .success(let value?) = event.result else { return }
        let key = "\(event.metadata.key)"
        secrecy.withLock { _ = $0[key, default: []].insert(value.isSecret) }
    }

    func values(_ key: String) -> Set<Bool> { secrecy.value[key] ?? [] }
}

/// Runs code in the middle of the next lookup.
private final class LookupHook: AccessReporter {
    private let action = Guarded<(@Sendable () -> Void)?>(nil)

    func runOnce(_ body: @escaping @Sendable () -> Void) { action.withLock { $0 = body } }

    func report(_ event: AccessEvent) {
        let current = action.value
        action.withLock { $0 = nil }
        current?()
    }
}

/// A provider that answers nothing.
private struct FailingProvider: ConfigProvider, ConfigSnapshot {
    private struct NoAnswer: Error, CustomStringConvertible {
        let description = "no answer"
    }

    let providerName = "FailingProvider"

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult { throw NoAnswer() }

    func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult { throw NoAnswer() }

    func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey, type: ConfigType,
        updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws ->
            Return
    ) async throws -> Return { throw NoAnswer() }

    func snapshot() -> any ConfigSnapshot { self }

    func watchSnapshot<Return: ~Copyable>(
        updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return { throw NoAnswer() }
}

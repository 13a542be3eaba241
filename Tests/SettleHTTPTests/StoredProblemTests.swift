import Settle
import SettleHTTP
import SettleTesting
import Testing

/// Stored values that can't be used, and values of other domains.
@Suite(.timeLimit(.minutes(10))) struct StoredProblemTests {
    private struct Limits: SettingsGroup {
        @Setting(in: 1...100_000) var burst = 1000
    }

    private struct App: SettingsGroup {
        let limits = Limits()
        @Setting(.check("at least 16 bytes") { $0.revealed.utf8.count >= 16 }) var token = Secret("0123456789abcdef")
    }

    private struct Program {
        let store: SettingsStore
        let app: App
        let api: SettingsAPI

        init(_ values: SettingValue.Entries = [:], searching list: SearchList = [.application]) async throws {
            store = try await SettingsStore.open(storage: InMemoryStorage(SettingTree(values)), searching: list)
            app = try await store.group(App.self)
            api = SettingsAPI(store, groups: App.self, configuration: .init(access: .open))
        }

        func send(_ method: String, _ target: String, _ body: String = "") async -> Answer {
            Answer(
                response: await api.respond(
                    to: WebRequest(
                        method: method, target: target, headers: [("Host", "localhost")], body: Array(body.utf8))))
        }
    }

    private static func burst(_ value: Int64) -> SettingValue.Entries {
        ["limits": .dictionary(["burst": .integer(value)])]
    }

    @Test("A stored value that can't be used is listed with its reason, until it is replaced")
    func storedValueListed() async throws {
        let program = try await Program(Self.burst(0))
        let entry = await program.send("GET", "/settings/limits.burst")
        #expect(entry.value("value") == .integer(1000) && entry.value("problem", "stored") == .integer(0))
        #expect(entry.string("problem", "sentence")?.contains("1...100000") == true)
        let mended = await program.send("PATCH", "/settings/limits.burst", "7")
        #expect(mended.status == 200 && mended.value("value") == .integer(7) && mended.value("problem") == nil)
    }

    @Test("A stored secret that can't be used is not shown") func storedSecretShown() async throws {
        let program = try await Program(["token": .string("short-xyzzy")])
        let entry = await program.send("GET", "/settings/token")
        #expect(entry.string("problem", "sentence") != nil && entry.value("problem", "stored") == nil)
        #expect(!entry.text.contains("xyzzy"))
    }

    @Test("A stream covers a stored value that can't be used, until it is replaced")
    func streamCoversStoredValue() async throws {
        let program = try await Program(Self.burst(0))
        var reader = try StreamReader(await program.send("GET", "/settings/changes"))
        guard case .array(let settings)? = try await reader.next("covered").data?["settings"] else {
            Issue.record("There are no settings.")
            return
        }
        #expect(settings.map { $0["value"] } == [.integer(1000)])
        #expect(settings.first?["problem"]?["stored"] == .integer(0))
        try await program.store.commit { program.app.limits.burst = 8 }
        while try await reader.next("covered").data?["settings"] != .array([]) {}
    }

    @Test("A change of another domain is an event without an identifier, with all values in force instead")
    func changeOtherDomain() async throws {
        let source = ManualDomainSource(DomainContents(SettingTree(Self.burst(5))))
        let program = try await Program(searching: [.source("switches", source), .application])
        try await program.store.commit { program.app.limits.burst = 4 }
        var reader = try StreamReader(await program.send("GET", "/settings/changes"))
        _ = try await reader.next("snapshot")
        source.set(SettingTree(Self.burst(6)))
        let covered = try await reader.next("covered")
        #expect(covered.id == nil && covered.data?["change"]?["domain"] == .string("switches"))
        let mutation: SettingValue = .dictionary([
            "key": .string("limits.burst"), "old": .integer(5), "new": .integer(6),
        ])
        #expect(covered.data?["change"]?["changes"] == .array([mutation]))
        // What the file has is in force again.
        source.set(SettingTree())
        #expect(try await reader.next("covered").data?["settings"] == .array([]))
    }
}

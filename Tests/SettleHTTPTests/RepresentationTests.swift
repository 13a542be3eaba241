import Settle
import SettleHTTP
import SettleTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct RepresentationTests {
    private struct Checked: SettingsGroup {
        /// How often the rule was asked.
        static let checks = LockedValue(0)

        @Setting(
            .check("an even number") { (number: Int) -> Bool in
                Checked.checks.withLock { $0 += 1 }
                return number.isMultiple(of: 2)
            })
        var number = 0
        @Setting var other = 0
    }

    private struct Program {
        let store: SettingsStore
        let settings: Checked
        let api: SettingsAPI

        init() async throws {
            store = try await SettingsStore.open(storage: InMemoryStorage())
            settings = try await store.group(Checked.self)
            let tokens = APITokens {
                [
                    "all": APIToken("all-0123456789abcdef"),
                    "other": APIToken("other-0123456789abcdef", keys: ["other"]),
                ]
            }
            api = SettingsAPI(store, groups: Checked.self, configuration: .init(access: .tokens(tokens)))
        }

        func get(_ target: String, by client: String = "all", ifNoneMatch tag: String? = nil) async -> Answer {
            var headers = [(name: "Authorization", value: "Bearer \(client)-0123456789abcdef")]
            if let tag { headers.append((name: "If-None-Match", value: tag)) }
            return Answer(
                response: await api.respond(to: WebRequest(method: "GET", target: target, headers: headers)))
        }
    }

    @Test("A setting is read again only once something in the store has changed, and is still not for everyone")
    func unchanged() async throws {
        let program = try await Program()
        let settings = program.settings
        try await settings.commit { settings.number = 2 }
        let first = await program.get("/settings/number")
        #expect(first.status == 200 && first.value("value") == .integer(2))
        let checks = Checked.checks.withLock { $0 }
        let second = await program.get("/settings/number")
        #expect(second.text == first.text && second.field("ETag") == first.field("ETag"))
        #expect(second.field("Content-Type") == first.field("Content-Type"))
        #expect(Checked.checks.withLock { $0 } == checks)
        #expect(await program.get("/settings/number", by: "other").status == 403)
        #expect(await program.get("/settings/number", ifNoneMatch: first.field("ETag")).status == 304)
        #expect(await program.get("/settings/number?explain=true").value("explanation") != nil)
        #expect(await program.get("/settings/number").text == first.text)

        // Another setting changes the token, which is part of each answer.
        try await settings.commit { settings.other = 1 }
        let third = await program.get("/settings/number")
        #expect(third.string("token") == program.store.history.token?.description)
        #expect(third.field("ETag") != first.field("ETag"))
        settings.number = 4
        #expect(await program.get("/settings/number").value("value") == .integer(4))
        try await program.store.close()
    }

    @Test("What is remembered is not served once another domain or an unusable value has changed the setting")
    func changedOtherwise() async throws {
        let (storage, source) = (InMemoryStorage(), ManualDomainSource())
        let store = try await SettingsStore.open(
            storage: storage, searching: [.source("source", source), .application])
        let settings = try await store.group(Checked.self)
        let api = SettingsAPI(store, groups: Checked.self, configuration: .init(access: .open))
        let request = WebRequest(method: "GET", target: "/settings/other", headers: [("Host", "localhost")])
        func expect(_ value: Int64, from domain: String, stored: SettingValue? = nil) async {
            // The second one may be remembered.
            for _ in 1...2 {
                let answer = Answer(response: await api.respond(to: request))
                #expect(answer.value("value") == .integer(value) && answer.string("domain") == domain)
                #expect(answer.value("problem", "stored") == stored)
            }
        }
        try await settings.commit { settings.other = 1 }
        await expect(1, from: "application")
        source.set(SettingTree(["other": .integer(5)]))
        try await store.reload()
        await expect(5, from: "source")
        source.set(SettingTree())
        try await store.reload()
        await expect(1, from: "application")
        storage.simulateExternalChange(["other": .string("x")])
        try await store.reload()
        await expect(1, from: "application", stored: .string("x"))
        storage.simulateExternalChange(["other": .integer(2)])
        try await store.reload()
        await expect(2, from: "application")
        try await store.close()
    }

    @Test("Each of many concurrent reads finds a value that is not older than the last change") func concurrentReads()
        async throws
    {
        let program = try await Program()
        for number in stride(from: 2, through: 100, by: 2) {
            program.settings.number = number
            await withTaskGroup(of: SettingValue?.self) { tasks in
                for _ in 0..<4 { tasks.addTask { await program.get("/settings/number").value("value") } }
                for await value in tasks { #expect(value == .integer(Int64(number))) }
            }
        }
        try await program.store.close()
    }

    @Test("Requests without an identifier get different ones") func identifiers() async throws {
        let program = try await Program()
        var seen: Set<String> = []
        for _ in 1...100 { seen.insert(await program.get("/settings/number").field("X-Request-ID") ?? "") }
        #expect(seen.count == 100 && seen.allSatisfy { $0.utf8.count == 32 })
        try await program.store.close()
    }
}

import LiveServing
import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `GET /settings/history`.
@Suite(.timeLimit(.minutes(10)))
struct HistoryTests {
    static let kept = SettingsStore.Configuration(history: .keep())

    @Test("It tells who has changed what newest first") func itTellsWhoHasChangedWhatNewestFirst() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            for burst in 7...8 {
                let answer = try await service.send(.admin(.patch, "/settings/limits.burst", "\(burst)"))
                #expect(answer.status == 200)
            }
            _ = try await service.send(.admin(.delete, "/settings/limits.burst"))
            let entries = try await service.history("?limit=3")
            #expect(entries.map { $0.change?["new"] } == [nil, .integer(8), .integer(7)])
            #expect(entries.map { $0.change?["old"] } == [.integer(8), .integer(7), nil])
            #expect(entries.map { $0.json["origin"] } == [.string("reset"), .string("local"), .string("local")])
            for entry in entries {
                #expect(entry.json["author"]?.member(.string("name")) == .string("admin"))
                #expect(entry.change?["key"] == .string("limits.burst"))
                #expect(entry.json["isKnown"] == .bool(true))
                #expect(entry.json["transactions"] == .integer(1))
            }
            #expect(entries.first?.token == service.store.history.token)
        }
    }

    @Test("A key a time and a limit narrow it") func aKeyATimeAndALimitNarrowIt() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            for (key, value) in [("limits.burst", "7"), ("limits.perSecond", "8"), ("maintenance.isOn", "true")] {
                _ = try await service.send(.admin(.patch, "/settings/\(key)", value))
            }
            func keys(_ query: String) async throws -> [SettingValue?] {
                try await service.history(query).map { $0.change?["key"] }
            }
            #expect(try await keys("?key=limits.burst&limit=5") == [.string("limits.burst")])
            #expect(try await keys("?key=limits") == [.string("limits.perSecond"), .string("limits.burst")])
            #expect(try await keys("?limit=1") == [.string("maintenance.isOn")])
            #expect(try await keys("?key=no.such.key") == [])
            #expect(try await keys("?since=2200-01-01T00:00:00Z") == [])
            let newest = try #require(try await service.history("?limit=1").first)
            guard case .string(let time)? = newest.json["time"] else { throw MissingField() }
            #expect(try await keys("?since=\(time)") == [.string("maintenance.isOn")])
            #expect(try await keys("?since=2001-01-01&limit=3").count == 3)
        }
    }

    @Test(
        "What is no limit or time gets 400",
        arguments: [
            "limit=0", "limit=-1", "limit=x", "limit=1001", "limit=", "since=yesterday", "since=",
            "since=2026-13-01T00:00:00Z",
        ])
    func whatIsNoLimitOrTimeGets400(query: String) async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            let answer = try await service.send(.admin(.get, "/settings/history?\(query)"))
            #expect(answer.status == 400)
            #expect(answer.error?.contains(query.prefix { $0 != "=" }) == true)
        }
    }

    @Test("Of a secret it says that it has changed") func ofASecretItSaysThatItHasChanged() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            let new = "another-token-than-before"
            _ = try await service.send(.admin(.patch, "/settings/admin.token", "\"\(new)\""))
            let answer = try await service.send(.admin(.get, "/settings/history?key=admin.token", token: new))
            #expect(answer.status == 200)
            guard case .array(let entries)? = try answer.json()["entries"] else { throw MissingField() }
            let changes = SettingValue.array([.dictionary(["key": .string("admin.token"), "isSecret": .bool(true)])])
            #expect(entries.count == 2)
            #expect(entries.allSatisfy { $0.member(.string("changes")) == changes })
            #expect(!answer.text.contains(new) && !answer.text.contains(TestRequest.token))
        }
    }

    @Test("It goes on across restarts") func itGoesOnAcrossRestarts() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            for run in 1...3 {
                try await TestService.with(storage: FileStorage(at: file), configuration: Self.kept) { service in
                    #expect(try await service.send(.admin(.patch, "/settings/limits.burst", "\(run)")).status == 200)
                    let bursts = try await service.history("?key=limits.burst").map { $0.change?["new"] }
                    #expect(bursts == (1...run).reversed().map { .integer(Int64($0)) })
                }
            }
        }
    }

    @Test("Nothing new is answered with nothing") func nothingNewIsAnsweredWithNothing() async throws {
        try await TestService.with(configuration: Self.kept) { service async throws in
            try await service.store.flush()
            let tag = try await service.tag(of: "/settings/history")
            for (tags, status) in [
                (tag, 304), ("\"1\", \(tag)", 304), ("W/\(tag)", 304), ("*", 304), ("\"1\"", 200), ("1", 400),
            ] {
                var request = TestRequest.admin(.get, "/settings/history")
                request.headers.append(("If-None-Match", tags))
                let answer = try await service.send(request)
                #expect(answer.status == status)
                if status == 304 { #expect(answer.text == "" && answer.header("ETag") == tag) }
            }
            _ = try await service.send(.admin(.patch, "/settings/limits.burst", "7"))
            var request = TestRequest.admin(.get, "/settings/history")
            request.headers.append(("If-None-Match", tag))
            #expect(try await service.send(request).status == 200)
        }
    }

    @Test("Without a history there is none") func withoutAHistoryThereIsNone() async throws {
        try await TestService.with { service async throws in
            try await service.store.flush()
            let answer = try await service.send(.admin(.get, "/settings/history"))
            #expect(answer.status == 404)
            #expect(answer.error?.contains("No history is kept") == true)
        }
    }
}

/// An entry of the history as received.
struct TestEntry {
    let json: SettingValue.Entries

    var token: ChangeToken? {
        guard case .string(let text)? = json["token"] else { return nil }
        return ChangeToken(text)
    }

    /// The first change.
    var change: SettingValue.Entries? {
        guard case .array(let changes)? = json["changes"], case .dictionary(let change)? = changes.first else {
            return nil
        }
        return change
    }
}

extension TestService {
    func history(_ query: String = "") async throws -> [TestEntry] {
        guard case .array(let entries)? = try await send(.admin(.get, "/settings/history\(query)")).json()["entries"]
        else {
            throw MissingField()
        }
        return entries.compactMap { entry in
            guard case .dictionary(let json) = entry else { return nil }
            return TestEntry(json: json)
        }
    }
}

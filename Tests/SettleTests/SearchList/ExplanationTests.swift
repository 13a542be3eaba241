import Foundation
import Settle
import SettleTesting
import Testing

/// Answers to "why is it so?".
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ExplanationTests {
    @Test("Every domain's value with its place, which one is in force, and what was refused") func all() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        try "{\n  \"count\": 3\n}".write(to: file, atomically: true, encoding: .utf8)
        let store = try await SettingsStore.open(
            at: file,
            searching: [
                .source("high", TestDomain(["count": 101])), .environment(prefix: "APP", variables: ["APP_COUNT": "7"]),
                .application, .registration,
            ])
        let settings = try await store.group(LayeredGroup.self)
        try store.domains.register(["count": 5])
        let found = try #require(settings.$count.domains.explanation)
        #expect(found == store.keys.explanation(forKey: "count"))
        #expect(found.value == .integer(7) && found.domain == .environment && found.origin == .environment)
        #expect(found.answers.map(\.domain) == ["high", .environment, .application, .registration, .declaration])
        #expect(found.answers.map(\.outcome) == [.refused, .inForce, .covered, .covered, .covered])
        #expect(found.answers.map(\.value) == [.integer(101), .string("7"), .integer(3), .integer(5), .integer(1)])
        #expect(found.answers[0].problem == "it must be in 0...100")
        let places = found.answers.map(\.place)
        #expect(places[0] == "the test's count" && places[1] == "the variable APP_COUNT")
        #expect(places[2] == "“\(file.path)”, line 2" && places[4] == "LayeredGroup.count")
        #expect(found.description.contains("▸ environment   \"7\"  (the variable APP_COUNT)"))
        let decoded = try JSONDecoder().decode(Explanation.self, from: JSONEncoder().encode(found))
        #expect(decoded == found)
    }

    @Test("An explanation that was encoded without misspelt variables has none") func withoutVariables() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: [.environment(prefix: "APP", variables: ["APP_COUNTT": "7"]), .application])
        let settings = try await store.group(LayeredGroup.self)
        let found = try #require(settings.$count.domains.explanation)
        #expect(found.misspeltVariables.count == 1)
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(found))
        var members = try #require(object as? [String: Any])
        members["misspeltVariables"] = nil
        let earlier = try JSONDecoder().decode(
            Explanation.self, from: JSONSerialization.data(withJSONObject: members))
        #expect(earlier.misspeltVariables.isEmpty && earlier.answers == found.answers)
        try await store.close()
    }

    @Test("Without places it tells the same, and where a lock is") func withoutPlaces() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        try "{\n  \"count\": 3\n}".write(to: file, atomically: true, encoding: .utf8)
        let store = try await SettingsStore.open(
            at: file,
            searching: [
                .source(.managed, TestDomain(["count": 4]), locksKeys: true),
                .environment(prefix: "APP", variables: ["APP_COUNT": "7"]), .application,
            ])
        let key: SettingKey = "count"
        func check() {
            let (full, short) = (store.keys.explanation(forKey: key), store.keys.explanationWithoutPlaces(forKey: key))
            #expect(short.answers.map(\.value) == full.answers.map(\.value) && short.value == full.value)
            #expect(short.answers.map(\.outcome) == full.answers.map(\.outcome))
            #expect(full.answers.contains { $0.locksKey && !$0.place.isEmpty })
            for (full, short) in zip(full.answers, short.answers) {
                let isNamed = full.locksKey || full.domain == .declaration
                #expect(short.place == (isNamed ? full.place : ""), "\(full.domain)")
            }
        }
        check()
        let settings = try await store.group(LayeredGroup.self)
        check()
        withExtendedLifetime(settings) {}
    }

    @Test("Variables around a key, and a listing in one line") func around() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: [.environment(prefix: "APP", variables: ["APP_INNER_LEVEL": "2"]), .application])
        let settings = try await store.group(LayeredGroup.self)
        try #require(settings.inner.level == 2)
        #expect(store.keys.explanation(forKey: "inner").answers.first?.place == "variables that begin with APP_INNER_")
        let listed = store.settings.map(\.description)
        #expect(listed.contains("inner.level = 2, from environment"))
        #expect(listed.contains("token = ••••, from declaration"))
    }

    @Test("A write shows its author and revision, unsaved and then on stable storage") func written() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(LayeredGroup.self)
        try settings.update(author: "cli") { settings.count = 9 }
        let before = store.keys.explanation(forKey: "count")
        #expect(before.change?.author == "cli" && before.change?.revision == store.revision)
        try await store.flush()
        let after = store.keys.explanation(forKey: "count")
        #expect(
            after.isDurable && after.domain == .application && after.answers.map(\.outcome) == [.inForce, .covered])
    }

    @Test("Within a transaction it tells what that has written") func writing() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(plainTree(["count": 2])), searching: [.overrides, .application])
        let settings = try await store.group(LayeredGroup.self)
        try settings.update {
            settings.count = 9
            let inside = store.keys.explanation(forKey: "count")
            #expect(inside.value == .integer(9) && inside.domain == .application)
            #expect(inside.answers.map(\.outcome) == [.inForce, .covered])
            #expect(inside.answers.first?.place == "not saved yet")
            try settings.$count.reset()
            #expect(store.keys.explanation(forKey: "count").answers.map(\.outcome) == [.inForce])
        }
        #expect(store.keys.explanation(forKey: "count").domain == .declaration)
    }

    @Test("A secret shows that it is set, never what it is") func secret() async throws {
        let hidden = "open sesame"
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(plainTree(["token": hidden])),
            searching: [
                .source("high", TestDomain(["token": ["bad": hidden]])), .overrides, .application,
                .source("low", TestDomain(["token": hidden])),
            ])
        let settings = try await store.group(LayeredGroup.self)
        let override = try store.domains.override(settings.$token, with: Secret(hidden))
        let found = store.keys.explanation(forKey: "token")
        #expect(found.isSecret && found.value == nil && found.answers.count == 5)
        #expect(found.answers.allSatisfy { $0.value == nil })
        var dumped = ""
        dump(found, to: &dumped)
        let json = String(decoding: try JSONEncoder().encode(found), as: UTF8.self)
        var issues = ""
        dump(try #require(store.settings.first { $0.key == "token" }), to: &issues)
        for text in [
            found.description, dumped, json, issues, "\(store.keys.effectiveValues)", "\(store.domains["low"].values)",
        ] {
            #expect(!text.contains("sesame"))
        }
        override.cancel()
    }

    @Test("Keys that no group declares, and keys that nobody has") func undeclared() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(plainTree(["x": 1])),
            searching: [.source("high", TestDomain(["x": 2])), .application])
        let found = store.keys.explanation(forKey: "x")
        #expect(
            found.type == nil && found.value == .integer(2) && found.answers.map(\.outcome) == [.inForce, .covered])
        #expect(try store.keys.value(forKey: "x", as: Int.self) == 2)
        #expect(
            store.keys.explanation(forKey: "nobody").answers.isEmpty
                && store.keys.explanation(forKey: "nobody").value == nil)
    }

    @Test("A stored value that can't be used, with the last good one in force") func lastGood() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(LayeredGroup.self)
        try await settings.commit { settings.count = 8 }
        let second = try await SettingsStore.open(storage: InMemoryStorage(sharing: storage))
        var issues = store.issues.makeAsyncIterator()
        try await second.commit { try second.keys.setValue(500, forKey: "count") }
        #expect(try #require(await issues.next()).code == .unusableValue)
        let found = store.keys.explanation(forKey: "count")
        #expect(found.value == .integer(8) && found.domain == .application)
        #expect(found.answers.map(\.outcome) == [.refused, .inForce, .covered])
        #expect(found.answers[0].value == .integer(500) && found.answers[1].value == .integer(8))
    }

    @Test("An owner's setting ignores other domains") func owner() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source("high", TestDomain(["attempts": 5])), .application])
        _ = try await store.group(OwnedLayeredGroup.self)
        #expect(store.keys.explanation(forKey: "attempts").answers.map(\.outcome) == [.ignored, .inForce])
    }
}

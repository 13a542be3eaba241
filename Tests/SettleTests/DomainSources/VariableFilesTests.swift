import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Files that `…_FILE` variables name.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct VariableFilesTests {
    private let volume: MountedVolume

    init() throws {
        volume = try MountedVolume()
    }

    private var token: FilePath { volume.path.appending("token") }

    /// Replaces the file as a whole.
    private func replace(_ text: String) throws {
        try Data(text.utf8).write(to: volume.folder.appending(path: "token"), options: .atomic)
    }

    private func source(
        clock: any Clock<Duration> = ManualClock(), watching: any FileWatching = SystemFileWatching.shared,
        declaring keys: [SettingKey] = ["token"]
    ) throws -> EnvironmentSource {
        let source = try EnvironmentSource(
            prefix: "APP", variables: ["APP_TOKEN_FILE": token.text], clock: clock, watching: watching)
        _ = source.declare(keys, try source.look(for: keys))
        return source
    }

    @Test("The file is followed: edits, a replacement, a removal and its return") func followed() async throws {
        try volume.write("one\n", to: "token")
        let source = try source()
        #expect(try source.load().tree["token"] == .string("one"))
        let changes = ReportedChanges(of: source)
        try volume.write("two\n", to: "token")
        try await changes.load { $0["token"] == .string("two") }
        try replace("three")
        try await changes.load { $0["token"] == .string("three") }
        try FileManager.default.removeItem(at: volume.folder.appending(path: "token"))
        let contents = try await changes.load { $0.root.isEmpty }
        #expect(contents.problems.count == 1)
        #expect(contents.problems.first?.contains("“\(token)”, which the variable APP_TOKEN_FILE names") == true)
        try replace("four")
        try await changes.load { $0["token"] == .string("four") }
        await source.close()
    }

    @Test("A mounted volume that switches to another generation is followed through its links") func mounted()
        async throws
    {
        try volume.publish(["token": "1"], links: true)
        let source = try source()
        #expect(try source.load().tree["token"] == .string("1"))
        let changes = ReportedChanges(of: source)
        for number in 2...5 {
            try volume.publish(["token": "\(number)"])
            try await changes.load { $0["token"] == .string("\(number)") }
        }
        await source.close()
    }

    @Test("A change without an event is found by a check every 30 s, and reported once") func checks() async throws {
        let (clock, watching) = (ManualClock(), ManualFileWatching())
        try volume.write("1", to: "token")
        let source = try source(clock: clock, watching: watching)
        _ = try source.load()
        #expect(watching.places.isEmpty)
        let changes = ReportedChanges(of: source)
        #expect(!watching.places.isEmpty)
        try await changes.expectChecks(on: clock) {
            try volume.write("2", to: "token")
        } untilIt: {
            $0["token"] == .string("2")
        }
        await source.close()
        await clock.deadlines { $0.isEmpty }
        #expect(watching.places.isEmpty)
    }

    @Test("A setting that is declared later has its file followed") func declaredLater() async throws {
        let (clock, watching) = (ManualClock(), ManualFileWatching())
        try volume.write("1", to: "token")
        let source = try source(clock: clock, watching: watching, declaring: ["name"])
        _ = try source.load()
        let changes = ReportedChanges(of: source)
        #expect(watching.places.isEmpty && changes.count == 0)
        #expect(source.declare(["token"], try source.look(for: ["token"]))?.tree["token"] == .string("1"))
        #expect(changes.count == 1)
        try await changes.load { $0["token"] == .string("1") }
        #expect(watching.places.values.contains { $0.contains("token") })
        await clock.sleepers(atLeast: 1)
        await source.close()
    }

    @Test("A variable has one problem, however often its setting is declared, and none once its file can be read")
    func declaredAgain() async throws {
        let source = try source()
        for _ in 0..<3 { _ = source.declare(["token"], try source.look(for: ["token"])) }
        #expect(source.contents.problems.count == 1)
        try volume.write("1", to: "token")
        #expect(source.declare(["token"], try source.look(for: ["token"]))?.problems == [])
        await source.close()
    }

    @Test("A source that is released checks no more") func release() async throws {
        let clock = ManualClock()
        try volume.write("1", to: "token")
        var released: EnvironmentSource? = try source(clock: clock, watching: ManualFileWatching())
        _ = try released?.load()
        released?.watch {}
        await clock.sleepers(atLeast: 1)
        weak let remaining = released
        released = nil
        await clock.deadlines { $0.isEmpty }
        #expect(remaining == nil)
    }

    @Test("A change of the file is a change of its setting, and unknown variables are named") func store() async throws
    {
        try volume.write("one", to: "token")
        let variables = ["APP_TOKEN_FILE": token.text, "APP_COUNTT": "5", "APP_HOME": "/srv", "PATH": "/bin"]
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.environment(prefix: "APP", variables: variables), .application])
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.token.revealed == "one")
        var changes = settings.changes.makeAsyncIterator()
        try replace("two")
        let change = try #require(await changes.next())
        #expect(change.mutations.map(\.key) == ["token"] && change.domain == .environment)
        #expect(settings.token.revealed == "two")
        #expect(
            store.domains.unknownVariables == [
                UnknownVariable(name: "APP_COUNTT", nearest: "APP_COUNT", domain: .environment),
                UnknownVariable(name: "APP_HOME", nearest: nil, domain: .environment),
            ])
        let sentence =
            "The variable APP_COUNTT in the domain “environment” belongs to no setting. "
            + "Did you mean “APP_COUNT”?"
        #expect(store.domains.unknownVariables.first?.description == sentence)
        #expect(store.keys.explanation(forKey: "count").description.contains("\n  \(sentence)"))
        #expect(store.keys.explanation(forKey: "count").misspeltVariables.map(\.name) == ["APP_COUNTT"])
        #expect(store.keys.explanation(forKey: "name").misspeltVariables.isEmpty)
        try await store.close()
    }
}

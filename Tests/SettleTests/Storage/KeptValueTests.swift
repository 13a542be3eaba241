import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// The last good value of a key survives an edit that breaks it, and a restart.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct KeptValueTests {
    private let fixture: FileStorageFixture

    init() throws {
        fixture = try FileStorageFixture()
    }

    private func open(limit: Int = FileStorage.journalLimit) async throws -> (SettingsStore, FrameSettings) {
        let storage = FileStorage(at: fixture.file, calls: fixture.calls, journalLimit: limit)
        let store = try await SettingsStore.open(storage: storage)
        return (store, try await store.group(FrameSettings.self))
    }

    /// Saves good values and closes the store.
    private func saved() async throws {
        let (store, settings) = try await open()
        try settings.update {
            settings.size = 42
            settings.token = Secret("a long token")
            settings.frame = Frame(x: 1, y: 2)
        }
        try await store.close()
    }

    /// A file in which all three values are broken.
    private static let broken = #"{"frame": {"x": "left", "y": 2}, "size": 4200, "token": "short"}"#
    private static let good = Frame(x: 1, y: 2)

    private func expectGood(_ settings: FrameSettings, _ comment: Comment = "", line: Int = #line) {
        let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
        #expect(settings.size == 42 && settings.frame == Self.good, comment, sourceLocation: place)
        #expect(settings.token.revealed == "a long token", comment, sourceLocation: place)
    }

    private func firstIssues(_ store: SettingsStore, _ count: Int) async -> [SettingsError] {
        var issues: [SettingsError] = []
        for await issue in store.issues {
            issues.append(issue)
            if issues.count == count { break }
        }
        return issues.sorted { ($0.key ?? "") < ($1.key ?? "") }
    }

    @Test("Values that an edit breaks at run time stay in force after a restart, and an issue names each")
    func running() async throws {
        try await saved()
        let (store, settings) = try await open()
        try fixture.write(Self.broken)
        try await settings.commit {}
        expectGood(settings)
        try await store.close()
        for _ in 0..<3 {
            let (store, settings) = try await open()
            expectGood(settings)
            #expect(store.file.loadOutcome == .intact)
            let issues = await firstIssues(store, 3)
            #expect(issues.map(\.key) == ["frame", "size", "token"] && issues.allSatisfy { $0.code == .unusableValue })
            #expect(
                issues[1].description
                    == "The stored value of “size” can't be used: it must be in 1...100. The last good value, 42, stays in force; "
                    + "the stored value is kept until the key is written.")
            #expect(issues.allSatisfy { !$0.description.contains("long token") && !$0.description.contains("short") })
            try await store.close()
        }
        let file = try FileFormat.json.decode(Array(Data(contentsOf: fixture.file)))
        #expect(file["size"] == .integer(4200) && file["token"] == .string("short"), "what was typed stays")
    }

    @Test("Values that are broken while no program runs are restored from the previous version and the journal")
    func offline() async throws {
        try await saved()
        // The previous version has none of them yet.
        try fixture.write(Self.broken)
        for _ in 0..<2 {
            let (store, settings) = try await open()
            expectGood(settings)
            #expect(await firstIssues(store, 3).count == 3)
            try await store.close()
        }
    }

    @Test("A value that is broken repeatedly, even in part or across a restart, keeps its last good one")
    func brokenTwice() async throws {
        try await saved()
        let (store, settings) = try await open()
        try fixture.write(Self.broken)
        try await settings.commit {}
        try fixture.write(#"{"frame": {"x": "left", "y": "top"}, "size": "huge", "token": ""}"#)
        try await settings.commit {}
        expectGood(settings)
        try await store.close()
        try fixture.write(#"{"frame": "none", "size": [], "token": "x"}"#)
        let (again, reopened) = try await open()
        expectGood(reopened)
        try await again.close()
    }

    @Test("The storage keeps replaced values even if the process ends before a store examines them")
    func beforeAnyStore() async throws {
        try await saved()
        let storage = try fixture.opened()
        for text in [Self.broken, #"{"frame": {"x": "left", "y": 3}, "size": "more", "token": ""}"#] {
            try fixture.write(text)
            _ = try fixture.freshLoad()
            _ = try storage.externalChanges()
        }
        fixture.calls.endProcess()
        let (store, settings) = try await open()
        #expect(settings.size == 42 && settings.token.revealed == "a long token")
        try await store.close()
    }

    @Test("A group that is opened after the edit gets the last good values too") func openedLater() async throws {
        try await saved()
        let store = try await SettingsStore.open(storage: fixture.storage())
        let other = try await store.group(CounterSettings.self, at: "other")
        try fixture.write(Self.broken)
        try await other.commit { other.count = 1 }
        expectGood(try await store.group(FrameSettings.self))
        try await store.close()
    }

    @Test(
        "A good edit, a write, a reset or a removal ends a fallback", arguments: ["edit", "write", "reset", "removal"])
    func ended(by way: String) async throws {
        try await saved()
        var (store, settings) = try await open()
        try fixture.write(Self.broken)
        try await settings.commit {}
        try await store.close()
        (store, settings) = try await open()
        let expected: Int
        switch way {
        case "edit":
            try fixture.write(#"{"frame": {"x": 1, "y": 2}, "size": 7, "token": "a long token"}"#)
            try await settings.commit {}
            expected = 7
        case "write":
            try await settings.commit { settings.size = 8 }
            expected = 8
        case "reset":
            try store.keys.removeValue(forKey: "size")
            expected = 10
        default:
            try fixture.write(#"{"frame": {"x": 1, "y": 2}, "token": "a long token"}"#)
            try await settings.commit {}
            expected = 10
        }
        #expect(settings.size == expected)
        try await store.close()
        (store, settings) = try await open()
        #expect(settings.size == expected)
        // The next broken edit falls back to this value, not to the one before.
        try fixture.write(#"{"frame": {"x": 1, "y": 2}, "size": -1, "token": "a long token"}"#)
        try await settings.commit {}
        #expect(settings.size == expected)
        try await store.close()
        (store, settings) = try await open()
        #expect(settings.size == expected)
        try await store.close()
    }

    @Test("A write discards the kept value in every storage") func writtenOver() throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["size": .integer(42)]))
        let other = try fixture.opened()
        try fixture.write(#"{"size": "broken"}"#)
        for one in [storage, other] {
            _ = try one.externalChanges()
            #expect(one.keptValues(forKey: "size", insteadOf: .string("broken")) == [.integer(42)])
        }
        try storage.append(
            StorageBatch(revision: 2, values: ["size": .integer(8)], expectedValues: ["size": .string("broken")]),
            durability: .synced)
        _ = try other.externalChanges()
        for one in [storage, other, try fixture.opened()] {
            #expect(one.keptValues(forKey: "size", insteadOf: .integer(8)).isEmpty)
        }
    }

    @Test("A thread that asks for kept values does not wait for the storage's work") func whileAtWork() async throws {
        let storage = try fixture.opened()
        try storage.save(batch(1, ["size": .integer(42)]))
        try fixture.write(#"{"size": "broken"}"#)
        _ = try storage.externalChanges()
        let gate = Gate()
        fixture.calls.beforeNext(.write) { gate.pass() }
        async let appending: Void = onThread {
            _ = try? storage.append(batch(2, ["a": .integer(1)]), durability: .buffered)
        }
        await gate.waitUntilReached()
        let values = await onThread { storage.keptValues(forKey: "size", insteadOf: .string("broken")) }
        gate.open()
        await appending
        #expect(values == [.integer(42)])
    }

    @Test("A good edit made while no program runs replaces the last good value") func endedOffline() async throws {
        try await saved()
        for (text, expected) in [(Self.broken, 42), (#"{"size": 9}"#, 9), (#"{"size": "x"}"#, 9), ("{}", 10)] {
            try fixture.write(text)
            let (store, settings) = try await open()
            #expect(settings.size == expected, "\(text)")
            // An opening alone tells nobody.
            try await settings.commit { settings.name = text }
            try await store.close()
        }
        try fixture.write(#"{"size": "y"}"#)
        let (store, settings) = try await open()
        #expect(settings.size == 10)
        try await store.close()
    }

    @Test("A last good value outlives a migration", arguments: [true, false], [true, false])
    func migrated(isRunning: Bool, editsOther: Bool) async throws {
        try await saved()
        if isRunning {
            let (store, settings) = try await open()
            try fixture.write(Self.broken)
            try await settings.commit {}
            expectGood(settings)
            try await store.close()
            if editsOther { try fixture.write(Self.broken.replacing("}}", with: "}, \"z\": 1}")) }
        } else {
            try fixture.write(Self.broken)
        }
        let list = [SettingsMigration("other") { $0["other"] = .integer(1) }]
        for _ in 0..<2 {
            let storage = FileStorage(at: fixture.file, calls: fixture.calls)
            let store = try await SettingsStore.open(storage: storage, migrations: list)
            expectGood(try await store.group(FrameSettings.self))
            try await store.close()
        }
    }

    @Test("New journals have the kept values after checkpoints, a failed sync and while the file is unreadable")
    func newJournals() async throws {
        try await saved()
        var (store, settings) = try await open(limit: 100)
        try fixture.write(Self.broken)
        try await settings.commit {}
        for number in 1...40 {
            settings.name = "\(number)" + String(repeating: "x", count: 200)
            try await store.flush()
            if number == 20 {
                fixture.calls.fail(every: .synchronizeData, with: .inputOutput)
                settings.name = "fails"
                // Fails, unless a checkpoint comes first on a busy machine.
                try? await store.flush()
                fixture.calls.heal()
            }
        }
        try await store.close()
        (store, settings) = try await open(limit: 100)
        expectGood(settings)
        // Neither an unreadable file nor its recovery changes the kept values.
        try fixture.write("{ oops")
        for number in 1...40 { try await settings.commit { settings.name = "\(number)" } }
        expectGood(settings)
        fixture.calls.endProcess()
        let (again, recovered) = try await open()
        expectGood(recovered)
        #expect(recovered.name == "40")
        try await again.close()
        withExtendedLifetime(store) {}
    }

    @Test("Two processes both fall back to the last good values, which survive a restart")
    func twoProcesses() async throws {
        try await saved()
        let (one, first) = try await open()
        let (two, second) = try await open()
        try fixture.write(Self.broken)
        try await first.commit {}
        try await second.commit {}
        expectGood(first)
        expectGood(second)
        try await second.commit { second.size = 5 }
        try await first.commit {}
        #expect(first.size == 5)
        try await one.close()
        try await two.close()
        let (store, settings) = try await open()
        #expect(settings.size == 5 && settings.frame == Self.good && settings.token.revealed == "a long token")
        try await store.close()
    }

    @Test(
        "Another program's value that breaks a rule leaves the last good one in force, even after a restart"
    )
    func otherProgram() async throws {
        try await saved()
        let (store, settings) = try await open()
        let other = FileStorage(at: fixture.file)
        _ = try other.load()
        try other.append(
            StorageBatch(revision: 9, values: ["size": .integer(0)], expectedValues: ["size": .integer(42)]),
            durability: .synced)
        try await settings.commit {}
        expectGood(settings)
        try await store.close()
        let (again, reopened) = try await open()
        expectGood(reopened)
        try await again.close()
    }

    @Test("Merging an edit keeps the last good value, whichever call fails, even after a kill")
    func everyCall() async throws {
        for trouble in CallTrouble.all {
            var call = 0
            var wasHit = true
            while wasHit {
                let fixture = try FileStorageFixture()
                let storage = try fixture.opened()
                let root: SettingValue.Entries = ["size": .integer(42), "other": .integer(1)]
                try storage.save(batch(1, root.mapValues { $0 }))
                try fixture.write(#"{"size": "broken", "other": 1}"#)
                fixture.calls.fail(call: call, with: trouble.fault, forGood: trouble.forGood)
                _ = try? storage.externalChanges()
                try? storage.keep(["size": .integer(42)])
                wasHit = fixture.calls.faultCount > 0
                fixture.calls.heal()
                fixture.calls.endProcess()
                let again = try fixture.opened()
                let kept = again.keptValues(forKey: "size", insteadOf: .string("broken"))
                #expect(kept.first == .integer(42), "\(trouble), call \(call)")
                // And again after a further append.
                try again.append(batch(2, ["other": .integer(2)]), durability: .synced)
                let found = try fixture.opened().keptValues(forKey: "size", insteadOf: .string("broken"))
                #expect(found.first == .integer(42), "\(trouble), call \(call)")
                call += 1
            }
            #expect(trouble.fault == .short ? call >= 1 : call > 3)
        }
    }

    @Test("A power loss at any moment of an edit and its aftermath keeps the last good value") func powerLoss() throws {
        let url = URL(filePath: "/home/settings.json")
        var call = 0
        var ended = false
        while !ended {
            let disk = SimulatedDisk()
            let calls = FaultySystemCalls(disk)
            let storage = FileStorage(at: url, calls: calls, journalLimit: 60)
            _ = try storage.load()
            let good: SettingValue.Entries = ["other": .integer(1), "size": .integer(42)]
            try storage.save(batch(1, good.mapValues { $0 }))
            try disk.replaceContents(of: url.path, with: Array(#"{"other": 1, "size": "broken"}"#.utf8))
            calls.fail(call: call, with: .error(.inputOutput), forGood: true)
            do {
                _ = try storage.externalChanges()
                try storage.keep(["size": .integer(42)])
                for number in 2...5 {
                    let root: SettingValue.Entries = ["other": .integer(Int64(number)), "size": .string("broken")]
                    try storage.append(batch(UInt64(number), ["other": root["other"]]), durability: .buffered)
                    _ = try storage.checkpoint(SettingTree(root), for: .resting)
                }
            } catch {}
            ended = calls.faultCount == 0
            for after in disk.disksAfterLossOfPower() {
                let found = FileStorage(at: url, calls: after)
                let contents = try found.load()
                #expect(contents.tree["size"] == .string("broken"), "call \(call)")
                #expect(
                    found.keptValues(forKey: "size", insteadOf: contents.tree["size"]).first == .integer(42),
                    "call \(call)")
            }
            call += 1
        }
        #expect(call > 20)
    }

    @Test("Kept values are bounded, and removed with the key that contains them") func bounded() {
        var kept = LastGoodValues()
        for number in 0..<100 { kept.add(.integer(Int64(number)), at: "a.b") }
        #expect(kept.values["a.b"] == [.integer(99), .integer(98), .integer(97), .integer(0)])
        kept.add(.integer(1), at: "a.c.d")
        kept.add(.integer(1), at: "ab")
        let whole = kept.candidates(at: "a", insteadOf: .dictionary(["b": .null, "z": .null]))
        #expect(
            whole == [
                .dictionary(["b": .integer(99), "c": .dictionary(["d": .integer(1)]), "z": .null])
            ])
        kept.decide([.string("whole")], at: "a")
        #expect(kept.values == ["a": [.string("whole")], "ab": [.integer(1)]])
        #expect(kept.isDecided(.string("whole"), at: "a") && !kept.isDecided(.integer(1), at: "ab"))
        kept.remove(at: "a")
        kept.remove(at: "ab")
        #expect(kept == LastGoodValues())
    }
}

private struct FrameSettings: SettingsGroup {
    @Setting(in: 1...100) var size = 10
    @Setting(.check { $0.revealed.count > 8 }) var token = Secret("default token")
    @Setting var frame = Frame(x: 0, y: 0)
    @Setting var name = ""
}

private struct Frame: Codable, Equatable, Sendable {
    var x: Int
    var y: Int
}

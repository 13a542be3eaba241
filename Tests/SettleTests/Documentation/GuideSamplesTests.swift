import Foundation
import Settle
import SettleTesting
import Testing

/// The samples of the guides in `Settle.docc`, in the order of the guides.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct GuideSamplesTests {
    struct PasscodeSettings: SettingsGroup {
        @Setting var isPasscodeEnabled = false
        @Setting(in: 0...20) var attemptCount = 0
        @Setting var checkInterval: TimeInterval = 60
        @Setting("nextCheck") var nextCheckDate: Date?
    }

    struct AppSettings: SettingsGroup {
        @Setting var applicationVersion = "1.0"
        let passcode = PasscodeSettings()
    }

    struct WindowSettings: SettingsGroup {
        @Setting(in: 1...400) var width = 80
        @Setting(.oneOf(["de", "en"])) var language = "en"
        @Setting(.matching(/[a-z]+/)) var name = "main"
        @Setting(.check("an even number") { $0.isMultiple(of: 2) }) var columns = 2
    }

    struct AccountSettings: SettingsGroup {
        static let savePolicy = SavePolicy.immediate
        @Setting var user = ""
    }

    struct LockSettings: SettingsGroup {
        static let access = SettingsAccess.owner
        @Setting(in: 0...20) var attemptCount = 0
    }

    struct ServiceSettings: SettingsGroup {
        @Setting var user = ""
        @Setting var token: Secret<String>?
    }

    // MARK: Declaring settings

    @Test("Keys nest, and one group type opens at several paths") func keys() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(AppSettings.self)
        #expect(settings.passcode.$nextCheckDate.key == "passcode.nextCheck")
        let first = try await store.group(PasscodeSettings.self, at: "devices.first")
        let second = try await store.group(PasscodeSettings.self, at: "devices.second")
        try await first.commit { first.attemptCount = 1 }
        #expect(second.attemptCount == 0)
        #expect(storage.tree["devices.first.attemptCount"] == .integer(1))
        #expect(try store.keys.value(forKey: "devices.first.attemptCount", as: Int.self) == 1)
        #expect(throws: SettingsError.self) { try store.keys.setValue(21, forKey: "devices.first.attemptCount") }
    }

    @Test("A value that breaks its rule is reported, thrown, or fails the transaction") func rules() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(WindowSettings.self)
        settings.width = 500
        settings.width += 500
        var issues = store.issues.makeAsyncIterator()
        #expect(await issues.next()?.key == "width")
        #expect(await issues.next()?.key == "width")
        #expect(throws: SettingsError.self) { try settings.$width.set(500) }
        #expect(throws: SettingsError.self) {
            try settings.update {
                settings.language = "de"
                settings.width = 500
            }
        }
        #expect(throws: SettingsError.self) { try settings.$name.set("A") }
        #expect(throws: SettingsError.self) { try settings.$columns.set(3) }
        #expect(settings.width == 80)
        #expect(settings.language == "en")
    }

    @Test("A stored value that breaks its rule falls back to the default and stays stored until a write")
    func storedValueAgainstRule() async throws {
        let storage = InMemoryStorage(SettingTree(["width": .integer(500), "other": .bool(true)]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(WindowSettings.self)
        #expect(settings.width == 80)
        var issues = store.issues.makeAsyncIterator()
        #expect(await issues.next()?.code == .unusableValue)
        try await settings.commit { settings.columns = 4 }
        #expect(storage.tree["width"] == .integer(500))
        try await settings.commit { settings.width = 100 }
        #expect(storage.tree["width"] == .integer(100))
        #expect(storage.tree["other"] == .bool(true))
    }

    @Test("Writing the default while no value is stored is not a change") func equalDefault() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(AppSettings.self)
        settings.applicationVersion = "1.0"
        #expect(settings.$applicationVersion.isDefault)
        #expect(store.revision == 0)
        settings.applicationVersion = "2.0"
        try settings.$applicationVersion.reset()
        #expect(settings.$applicationVersion.isDefault)
    }

    @Test("An owner's settings are written only through their group") func owner() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let lock = try await store.group(LockSettings.self, at: "lock")
        lock.attemptCount = 3
        try store.reset()
        let error = #expect(throws: SettingsError.self) { try store.keys.setValue(0, forKey: "lock.attemptCount") }
        #expect(error?.code == .protected && lock.attemptCount == 3)
        try lock.reset()
        #expect(lock.attemptCount == 0)
    }

    @Test("A secret is stored but not shown") func secrets() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(ServiceSettings.self)
        try await settings.commit { settings.token = Secret("abc") }
        #expect(settings.token?.revealed == "abc" && storage.tree["token"] == .string("abc"))
        #expect(store.keys.setting(forKey: "token")?.value == nil)
        #expect("\(settings.$token.value as Any)" == "Optional(••••)")
    }

    @Test("A group that no store has opened works in memory") func withoutStore() {
        let settings = AppSettings()
        settings.passcode.attemptCount += 1
        #expect(settings.passcode.attemptCount == 1)
    }

    @Test("Settings are listed, and written in their stored form") func atRunTime() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(AppSettings.self)
        var listed: [String] = []
        for setting in store.settings { listed.append("\(setting.key) \(setting.type) \(setting.rules)") }
        #expect(listed.first == "applicationVersion String []")
        let value = try SettingValue(json: Data("\"2026-01-31T12:00:00Z\"".utf8))
        try store.keys.setValue(value, forKey: "passcode.nextCheck", author: "cli")
        #expect(settings.passcode.nextCheckDate == Date(timeIntervalSince1970: 1_769_860_800))
        #expect(try value.json() == Data("\"2026-01-31T12:00:00Z\"".utf8))
    }

    @Test("A listing tells rules and words") func listing() async throws {
        struct PasscodeSettings: SettingsGroup {
            @Setting(in: 0...20, title: "Wrong guesses", help: "How many guesses in a row were wrong.")
            var attemptCount = 0
            @Setting("nextCheck", title: "Next check", help: "When the next guess is allowed.") var nextCheckDate: Date?
            @Setting(title: "Pause", unit: "seconds") var checkInterval: TimeInterval = 60
        }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(PasscodeSettings.self)
        let rule = try #require(store.keys.setting(forKey: "attemptCount")?.rules.first)
        #expect("\(rule.kind) \(rule.lowerBound?.value ?? .null) \(rule.description)" == "range integer(0) in 0...20")
        withExtendedLifetime(settings) {}
        try await store.close()
    }

    // MARK: Observing changes

    @Test("A setting delivers its current value first") func values() async throws {
        let settings = AppSettings()
        var shown: [Int] = []
        for await count in settings.passcode.$attemptCount {
            shown.append(count)
            if count == 2 { break }
            settings.passcode.attemptCount += 1
        }
        #expect(shown == [0, 1, 2])
    }

    struct User: Codable, Equatable {
        var name = ""
    }

    struct ListSettings: SettingsGroup {
        @Setting var names: [String] = []
        @Setting var ports: [String: Int] = [:]
        @Setting var user: User?
        @Setting var users: [User] = []
    }

    @Test("Parts of a value are written on their own, and missing parts throw") func parts() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(ListSettings.self)
        #expect(throws: SettingsError.self) { try settings.$names[0].set("first") }
        settings.names.append("new")
        try settings.$names[0].set("first")
        try settings.$ports["http"].set(8_080)
        let name = settings.$user.name.value
        #expect(name == nil && settings.$user.unwrapped() == nil)
        settings.$names[0].value? += "!"
        try settings.$names[0].modify { $0? += "!" }
        settings.$names[1].value? += "!"
        #expect(throws: SettingsError.self) { try settings.$users[0].name.set("Carol") }
        #expect(settings.names == ["first!!"] && settings.ports == ["http": 8_080] && settings.users.isEmpty)
    }

    @Test("A change carries a setting's old and new value") func changes() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(AppSettings.self)
        let changes = settings.changes
        try settings.update(author: "setup") {
            settings.applicationVersion = "2.0"
            settings.passcode.attemptCount = 3
        }
        for await change in changes {
            #expect(change.revision == 1)
            #expect(change.origin == .local)
            #expect(change.author == "setup")
            #expect(change.mutations.map(\.key) == ["applicationVersion", "passcode.attemptCount"])
            let count = try #require(change[settings.passcode.$attemptCount])
            #expect(count.oldValue == 0)
            #expect(count.newValue == 3)
            break
        }
        let snapshot = settings.snapshot()
        #expect(snapshot.revision == 1)
        #expect(snapshot.applicationVersion == "2.0")
        #expect(snapshot.passcode.attemptCount == 3)
    }

    @Test("Snapshots and forEachLatest follow the newest state of a group") func reactions() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(AppSettings.self)
        var shown: [String] = []
        for await name in settings.snapshots({ "\($0.applicationVersion) \($0.passcode.attemptCount)" }) {
            shown.append(name)
            if shown.count == 2 { break }
            settings.passcode.attemptCount = 3
        }
        #expect(shown == ["1.0 0", "1.0 3"])
        let checked = ChangeRecorder(
            AsyncStream { continuation in
                let task = Task {
                    await settings.passcode.$checkInterval.forEachLatest { continuation.yield($0) }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            })
        #expect(await checked.next() == 60)
        settings.passcode.checkInterval = 30
        #expect(await checked.next() == 30)
        try await store.close()
        #expect(await checked.untilEnd() == [60, 30])
    }

    @Test("Subscribers choose what is delivered") func deliveries() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(AppSettings.self)
        let newest = settings.changes(.newest)
        let durable = settings.changes(.every, durableOnly: true)
        for _ in 1...3 { settings.passcode.attemptCount += 1 }
        let later = try settings.changes(afterRevision: 1)
        try await store.close()
        #expect(await ChangeRecorder(newest).untilEnd().map(\.missed.count) == [2])
        #expect(await ChangeRecorder(durable).untilEnd().map(\.isDurable) == [true, true, true])
        #expect(await ChangeRecorder(later).untilEnd().map(\.revision) == [2, 3])
    }

    // MARK: Saving and durability

    @Test("Values are stored when commit, flush and flushAndWait return") func saving() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(
            storage: storage, configuration: .init(savePolicy: .debounced(quiet: .seconds(60), atMost: .seconds(60))))
        let settings = try await store.group(AppSettings.self)
        try await settings.commit { settings.passcode.attemptCount = 1 }
        #expect(storage.tree["passcode.attemptCount"] == .integer(1))
        settings.passcode.attemptCount = 2
        try await store.flush()
        #expect(storage.tree["passcode.attemptCount"] == .integer(2))
        settings.passcode.attemptCount = 3
        #expect(store.status.oldestUnsavedChange != nil)
        try store.flushAndWait()
        #expect(storage.tree["passcode.attemptCount"] == .integer(3))
        #expect("\(store.status)" == "saved")
    }

    @Test("An immediate group is saved without delay") func immediate() async throws {
        let storage = RecordingStorage()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(AccountSettings.self)
        settings.user = "somebody"
        #expect(await storage.batches(atLeast: 1).map(\.values) == [["user": .string("somebody")]])
    }

    @Test("Two processes that write different keys both win") func twoWriters() throws {
        try withTemporaryFolder { folder in
            // Two storages stand for two processes; one process would get a single store.
            let file = folder.appending(path: "settings.json")
            let (first, second) = (FileStorage(at: file), FileStorage(at: file))
            _ = try first.load()
            _ = try second.load()
            try first.append(StorageBatch(revision: 1, values: ["first": .integer(1)]), durability: .synced)
            try second.append(StorageBatch(revision: 1, values: ["second": .integer(2)]), durability: .synced)
            #expect(
                try FileStorage(at: file).load().tree == SettingTree(["first": .integer(1), "second": .integer(2)]))
        }
    }

    @Test("A store tells how it was loaded") func loadOutcome() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        switch store.file.loadOutcome {
        case .absent: break
        case .intact, .recovered(_, isComplete: true): Issue.record("nothing was stored")
        case .recovered(let description, isComplete: false), .removed(let description): Issue.record("\(description)")
        }
    }

    @Test("A named lock encloses slow work and commits") func namedLocks() async throws {
        func verify(_ passcode: String) async throws -> Bool { passcode == "right" }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let lock = try await store.group(PasscodeSettings.self)
        for (passcode, count) in [("wrong", 1), ("right", 0)] {
            let isRight = try await store.withLock(named: "passcode") {
                try await lock.commit { lock.attemptCount += 1 }
                let isRight = try await verify(passcode)
                if isRight { try await lock.commit { lock.attemptCount = 0 } }
                return isRight
            }
            #expect(isRight == (passcode == "right") && lock.attemptCount == count)
        }
    }
}

import Foundation
import Settle
import SettleTesting
import Testing

// Samples of the guides that nothing else compiles as they stand, each in the context that its page describes. Nothing
// calls them: `GuideSamplesTests` has what they do.

private func show<each Value>(_ values: repeat each Value) {}
private func check(every interval: TimeInterval) async throws {}
private func keepsMine(_ conflict: DraftConflict) -> Bool { true }

/// The first page.
private enum FirstSample {
    struct PasscodeSettings: SettingsGroup {
        @Setting var isPasscodeEnabled = false
        @Setting(in: 0...20) var attemptCount = 0
    }

    struct AppSettings: SettingsGroup {
        @Setting var applicationVersion = "1.0"
        let passcode = PasscodeSettings()
    }

    static func use() async throws {
        let store = try await SettingsStore.open("com.example.app")
        let settings = try await store.group(AppSettings.self)

        settings.passcode.attemptCount += 1
        for await count in settings.passcode.$attemptCount { show(count) }
        for await change in settings.passcode.changes { show(change) }
        try await settings.commit { settings.passcode.isPasscodeEnabled = true }
    }
}

private enum ObservingChanges {
    typealias AppSettings = GuideSamplesTests.AppSettings

    struct Frame: Codable, Equatable, Sendable {
        var width = 80.0
        var height = 24.0
    }

    struct User: Codable, Equatable, Sendable {
        var name = ""
    }

    static func follow(_ settings: AppSettings) async throws {
        for await count in settings.passcode.$attemptCount {
            show(count)
        }

        settings.passcode.$attemptCount.value += 1
        try settings.passcode.$attemptCount.set(3)
        let left = try settings.passcode.$attemptCount.modify { count in
            count += 1
            return 20 - count
        }
        try settings.passcode.$attemptCount.reset()
        show(left)
    }

    struct WindowSettings: SettingsGroup {
        @Setting var frame = Frame()
        @Setting var names: [String] = []
        @Setting var ports: [String: Int] = [:]
        @Setting var user: User?
        @Setting var users: [User] = []
    }

    static func parts(of settings: WindowSettings) async throws {
        settings.$frame.width.value += 10
        for await width in settings.$frame.width { show(width) }
        settings.names.append("new")
        try settings.$names[0].set("first")
        try settings.$ports["http"].set(8_080)
        let name = settings.$user.name.value
        if let user = settings.$user.unwrapped() {
            try user.name.set("Carol")
        }
        show(name)

        settings.$names[0].value? += "!"
        try settings.$names[0].modify { $0? += "!" }
        try settings.$users[0].name.set("Carol")
    }

    static func changes(of settings: AppSettings, since revision: UInt64) async throws {
        for await change in settings.changes {
            print(change.revision ?? 0, change.origin, change.mutations)
            if let count = change[settings.passcode.$attemptCount] {
                print("from", count.oldValue, "to", count.newValue)
            }
        }

        let newest = settings.changes(.newest)
        let durable = settings.changes(.every, durableOnly: true)
        let later = try settings.changes(afterRevision: revision)
        show(newest, durable, later)
    }

    static func resume(_ store: SettingsStore, after token: ChangeToken?) async {
        var lastSeen = token
        for await change in store.history.changes(after: lastSeen) {
            if let snapshot = change.snapshot { show(snapshot) } else { show(change.mutations) }
            lastSeen = change.token
        }
    }

    static func snapshots(of settings: AppSettings) async throws {
        try settings.update(author: "setup") {
            settings.applicationVersion = "2.0"
            settings.passcode.attemptCount = 0
        }

        let snapshot = settings.snapshot()
        print(snapshot.revision, snapshot.applicationVersion, snapshot.passcode.attemptCount)

        for await snapshot in settings.snapshots {
            show(snapshot.applicationVersion, snapshot.passcode.attemptCount)
        }

        for await name in settings.snapshots({ "\($0.applicationVersion) \($0.passcode.attemptCount)" }) {
            show(name)
        }

        try await settings.passcode.$checkInterval.forEachLatest { interval in
            try await check(every: interval)
        }
    }
}

private enum SavingAndDurability {
    struct Logger: Sendable {
        func error(_ message: String) {}
    }

    static func save(_ settings: GuideSamplesTests.AppSettings, in store: SettingsStore) async throws {
        try await settings.commit { settings.passcode.attemptCount = 0 }
        try await store.flush()
        try store.flushAndWait()

        let backup = try await store.file.export()
        try store.file.import(backup, .replace, unknownKeys: .refuse)
    }

    static func configure(_ logger: Logger) -> SettingsStore.Configuration {
        var configuration = SettingsStore.Configuration()
        configuration.unheardIssueHandler = { issue in logger.error("\(issue)") }
        return configuration
    }
}

private enum Domains {
    enum Theme: String, Codable {
        case light, dark
    }

    struct AppearanceSettings: SettingsGroup {
        @Setting var theme = Theme.light
    }

    static func open(at file: URL) async throws {
        let store = try await SettingsStore.open("com.example.app", searching: .standard)
        let tool = try await SettingsStore.open(
            at: file, searching: [.arguments(), .environment(prefix: "TOOL"), .application, .global()])
        show(store, tool)
    }

    static func change(_ settings: AppearanceSettings, in store: SettingsStore) async throws {
        try await store.domains[.global].update { settings.theme = .dark }
        for domain in store.domains { print(domain.name, domain.values) }

        print(store.keys.explanation(forKey: "passcode.attemptCount"))
    }

    static func list() -> SearchList {
        let list: SearchList = [
            .arguments(), .environment(prefix: "APP"), .environmentFile(at: URL(filePath: ".env"), prefix: "APP"),
            .application,
        ]
        return list
    }
}

private enum AccessByKey {
    static func use(_ store: SettingsStore) async throws {
        let port = try store.keys.value(forKey: "plugins.web.port", as: Int.self)
        let stored = store.keys["plugins.web.port"]

        try store.keys.setValue(8080, forKey: "plugins.web.port")
        try store.keys.removeValue(forKey: "plugins.web.name")
        show(port, stored)

        for await port in store.keys.values(forKey: "plugins.web.port", as: Int.self) {
            show(port)
        }
    }
}

private enum History {
    static func undo(_ entry: HistoryEntry, in store: SettingsStore) async throws {
        let result = try await store.history.undo(entry.token, author: "bob")
        for conflict in result.conflicts { print(conflict) }
        try await store.history.undo(lastBy: "alice")
    }
}

private enum Drafts {
    static func apply(_ draft: Draft<GuideSamplesTests.AppSettings>) throws {
        do {
            try draft.apply()
        } catch {
            guard error.code == .draftConflict else { throw error }
            for conflict in draft.conflicts where !keepsMine(conflict) { draft.revert(key: conflict.key) }
            try draft.apply(.overwriting)
        }
    }
}

private enum TestingGuide {
    typealias AppSettings = GuideSamplesTests.AppSettings

    static func inMemory() {
        let settings = AppSettings()
        settings.passcode.attemptCount = 19
    }

    static func fail() async throws {
        let storage = FailingStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(AppSettings.self)

        storage.fail(.append, with: StorageError(.noSpace, "There is no room."))
        await #expect(throws: SettingsError.self) {
            try await settings.commit { settings.passcode.attemptCount = 1 }
        }
        #expect(settings.passcode.attemptCount == 0)
        storage.heal()
    }

    static func settle(_ settings: AppSettings, in run: CrashRun<Never>) async throws {
        settings.passcode.attemptCount += 1
        try await run.settle()
    }
}

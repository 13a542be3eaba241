import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

@Suite(.timeLimit(.minutes(10))) struct CallSiteTests {
    @Test("Declared settings work as documented, and their values survive a restart")
    func callSite() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(AppSettings.self)
        settings.passcode.attemptCount += 1
        for await count in settings.passcode.$attemptCount {
            #expect(count == 1)
            break
        }
        let changes = settings.passcode.changes
        try settings.update {
            settings.passcode.attemptCount = 3
            settings.passcode.checkInterval = 120
            settings.applicationVersion = "2.0"
        }
        for await change in changes {
            #expect(change.mutations.map(\.key) == ["passcode.attemptCount", "passcode.checkInterval"])
            #expect(change[settings.passcode.$attemptCount]?.oldValue == 1)
            break
        }
        try await settings.commit { settings.passcode.nextCheckDate = Date(timeIntervalSince1970: 0) }
        try await store.flush()
        try await store.close()
        let again = try await SettingsStore.open(storage: InMemoryStorage(storage.tree))
        let reopened = try await again.group(AppSettings.self)
        #expect(reopened.passcode.attemptCount == 3)
        #expect(reopened.applicationVersion == "2.0")
        #expect(reopened.passcode.nextCheckDate == Date(timeIntervalSince1970: 0))
    }

    @Test("A group that no store has opened works in memory")
    func detached() async throws {
        let settings = AppSettings()
        settings.passcode.attemptCount += 1
        let all = settings.changes
        try settings.update {
            settings.passcode.attemptCount += 1
            settings.applicationVersion = "3"
        }
        settings.passcode.attemptCount = 99
        #expect(settings.passcode.attemptCount == 2)
        for await change in all {
            #expect(change.mutations.map(\.key) == ["passcode.attemptCount", "applicationVersion"])
            break
        }
    }
}

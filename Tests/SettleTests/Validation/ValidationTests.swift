import Foundation
import Settle
import SettleTesting
import Testing

private struct GuardedSettings: SettingsGroup {
    @Setting(in: 0...20) var attemptCount = 0
    @Setting(.oneOf(["de", "en"])) var language = "en"
    @Setting(.matching(/[a-z]+/)) var name = "app"
    @Setting(.check("an even number") { $0.isMultiple(of: 2) }) var width = 2
    @Setting(.range(0...), .check("short") { $0 < 100 }) var height = 1
    @Setting var free = 0
}

private struct FiniteDates: SettingsGroup {
    @Setting var date = Date(timeIntervalSinceReferenceDate: 0)
    @Setting var optional: Date?
    @Setting var list: [Date] = []
    @Setting var days: Set<Date> = []
    @Setting var dictionary: [String: Date] = [:]
    @Setting(
        codec: SettingCodec<Date>(
            encode: { .string("\($0.timeIntervalSinceReferenceDate)") }, decode: { _ in Date.distantFuture }))
    var spelled = Date.distantPast
    @Setting var free = 0
}

private struct EndlessSettings: SettingsGroup {
    @Setting var end = Date(timeIntervalSinceReferenceDate: .infinity)
}

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ValidationTests {
    private let endless = Date(timeIntervalSinceReferenceDate: .infinity)

    @Test("A date that is not finite is refused like a value that breaks a rule, however it is written")
    func dates() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.overrides, .application])
        let settings = try await store.group(FiniteDates.self)
        func refuses(_ key: String, _ rule: String = "a finite date", _ write: () throws -> Void) {
            let error = #expect(throws: SettingsError.self) { try write() }
            #expect(error?.code == .invalidValue && error?.key == key && error?.rule == rule && error?.value != nil)
        }
        let elements = "made of elements that are each a finite date"
        refuses("date") { try settings.$date.set(Date(timeIntervalSinceReferenceDate: .nan)) }
        refuses("date") { try settings.$date.modify { $0 += .infinity } }
        refuses("optional") { try settings.$optional.set(endless) }
        refuses("list", elements) { try settings.$list.set([.distantPast, endless]) }
        refuses("days", elements) { try settings.$days.set([endless]) }
        refuses("dictionary", elements) { try settings.$dictionary.set(["a": endless]) }
        refuses("date") {
            try settings.update {
                settings.free = 1
                settings.date = endless
            }
        }
        refuses("date") { _ = try store.domains.override(settings.$date, with: endless) }
        let draft = settings.draft()
        draft.date = endless
        #expect(draft.violations.map(\.rule) == ["a finite date"] && !draft.isDirty)
        settings.date += .infinity
        #expect(settings.free == 0 && store.revision == 0)
        for await issue in store.issues {
            let date = "Date(timeIntervalSinceReferenceDate: inf)"
            #expect(issue.description == "“date” can't be \(date): it must be a finite date. The old value stays.")
            break
        }
        try settings.$optional.set(nil)
        try settings.$list.set([.distantPast, .distantFuture])
        // A codec of its own may have a form for it.
        try settings.$spelled.set(endless)
        #expect(settings.list.count == 2 && settings.spelled > .distantFuture)
    }

    @Test("A date that is not finite is no default, and undoes a commit") func datesAtOnce() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let opening = await #expect(throws: SettingsError.self) { try await store.group(EndlessSettings.self) }
        #expect(opening?.code == .invalidValue && opening?.key == "end" && opening?.rule == "a finite date")
        let settings = try await store.group(FiniteDates.self)
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit {
                settings.free = 1
                settings.list.append(endless)
            }
        }
        #expect(error?.code == .invalidValue && error?.key == "list" && settings.free == 0 && settings.list == [])
    }

    @Test("A list of texts accepts the spelling that its schema has, and no equal one of other characters")
    func spellings() throws {
        struct Name: RawRepresentable, Equatable, Sendable { let rawValue: String }
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(composed == decomposed)
        for (listed, other) in [(composed, decomposed), (decomposed, composed)] {
            #expect(SettingRule.oneOf([listed]).accepts(listed) && !SettingRule.oneOf([listed]).accepts(other))
            #expect(SettingRule.oneOf([listed, other]).accepts(other))
            let names = SettingRule.oneOf([Name(rawValue: listed)])
            #expect(names.accepts(Name(rawValue: listed)) && !names.accepts(Name(rawValue: other)))
            let optional = SettingRule<String?>.oneOf([listed, nil])
            #expect(optional.accepts(listed) && optional.accepts(nil) && !optional.accepts(other))
        }
        #expect(SettingRule.oneOf([1, 2]).accepts(2) && !SettingRule.oneOf([1, 2]).accepts(3))
    }

    @Test("A plain assignment that breaks a rule keeps the old value and reports an issue")
    func assignment() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(GuardedSettings.self, at: "guarded")
        settings.attemptCount = 99
        settings.attemptCount -= 1
        settings.language = "fr"
        settings.name = "App1"
        settings.width = 3
        settings.height = 100
        settings.height = -1
        #expect(settings.attemptCount == 0 && settings.language == "en" && settings.name == "app")
        #expect(settings.width == 2 && settings.height == 1 && store.revision == 0)
        var issues: [SettingsError] = []
        for await issue in store.issues {
            issues.append(issue)
            if issues.count == 7 { break }
        }
        #expect(issues.allSatisfy { $0.code == .invalidValue })
        #expect(
            issues.map(\.key) == [
                "guarded.attemptCount", "guarded.attemptCount", "guarded.language", "guarded.name", "guarded.width",
                "guarded.height", "guarded.height",
            ])
        #expect(issues[0].value as? Int == 99 && issues[1].value as? Int == -1)
        #expect(issues.map(\.rule)[0] == "in 0...20")
        #expect(issues.map(\.rule)[2] == "one of de, en")
        #expect(issues.map(\.rule)[4] == "an even number")
        #expect(issues.map(\.rule)[5...] == ["short", "in 0..."])
        #expect(
            issues[0].description == "“guarded.attemptCount” can't be 99: it must be in 0...20. The old value stays.")
    }

    @Test("Inside update, a broken rule throws, undoes everything and reports no issue")
    func insideUpdate() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(GuardedSettings.self)
        let error = #expect(throws: SettingsError.self) {
            try settings.update {
                settings.free = 5
                settings.attemptCount = 21
                settings.width = 3
            }
        }
        #expect(error?.code == .invalidValue && error?.key == "attemptCount" && error?.value as? Int == 21)
        #expect(settings.free == 0 && settings.attemptCount == 0 && store.revision == 0)
        try await store.close()
        for await issue in store.issues { Issue.record("unexpected issue \(issue)") }
    }

    @Test("Inside commit, a broken rule throws and nothing is saved")
    func insideCommit() async throws {
        let (store, _, _, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(GuardedSettings.self)
        let error = await #expect(throws: SettingsError.self) {
            try await settings.commit {
                settings.free = 5
                settings.language = "fr"
            }
        }
        #expect(error?.code == .invalidValue && error?.key == "language" && error?.rule == "one of de, en")
        try await store.flush()
        #expect(recording.batches.isEmpty && settings.free == 0)
    }

    @Test("A set that breaks a rule throws an error with the key, the value and the rule")
    func set() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(GuardedSettings.self)
        let error = #expect(throws: SettingsError.self) { try settings.$width.set(5) }
        #expect(error?.code == .invalidValue && error?.key == "width" && error?.value as? Int == 5)
        #expect(error?.rule == "an even number" && settings.width == 2)
        try settings.$width.set(6)
        #expect(settings.width == 6)
        let inPlace = #expect(throws: SettingsError.self) { try settings.$attemptCount.modify { $0 -= 1 } }
        #expect(inPlace?.key == "attemptCount" && settings.attemptCount == 0)
        // An error that is caught inside a transaction does not end the transaction.
        try settings.update {
            settings.free = 1
            #expect(throws: SettingsError.self) { try settings.$width.set(5) }
        }
        #expect(settings.free == 1)
    }

    @Test("Writing by key follows the rule of the declaration")
    func runTimeKey() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(GuardedSettings.self, at: "guarded")
        let error = #expect(throws: SettingsError.self) { try store.keys.setValue(50, forKey: "guarded.attemptCount") }
        #expect(error?.code == .invalidValue && error?.key == "guarded.attemptCount")
        let type = #expect(throws: SettingsError.self) { try store.keys.setValue("x", forKey: "guarded.attemptCount") }
        #expect(type?.code == .unusableValue && type?.key == "guarded.attemptCount")
        try store.keys.setValue(5, forKey: "guarded.attemptCount")
        #expect(settings.attemptCount == 5)
    }

    @Test("A broken rule in an inner update that the outer one catches undoes only the inner writes")
    func caughtViolation() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(GuardedSettings.self)
        try settings.update {
            settings.free = 1
            #expect(throws: SettingsError.self) {
                try settings.update {
                    settings.free = 2
                    settings.attemptCount = 99
                }
            }
            #expect(settings.free == 1)
        }
        #expect(settings.free == 1 && settings.attemptCount == 0)
    }

    @Test("A broken rule in an outer update fails the outer one and not an inner one")
    func outerViolation() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(GuardedSettings.self)
        var innerError: (any Error)?
        #expect(throws: SettingsError.self) {
            try settings.update {
                settings.attemptCount = 99
                innerError = thrown { try settings.update { settings.free = 2 } }
            }
        }
        #expect(innerError == nil && settings.free == 0)
    }

    @Test("A default that breaks its own rule is an error when its group is opened")
    func brokenDefault() async throws {
        struct Broken: SettingsGroup {
            @Setting(in: 1...5) var size = 0
        }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) { try await store.group(Broken.self) }
        #expect(error?.code == .invalidValue && error?.key == "size" && error?.rule == "in 1...5")
        #expect(error?.description.contains("Broken.size") == true)
    }

    @Test("Rules hold in a group that no store has opened")
    func detached() throws {
        let settings = GuardedSettings()
        settings.attemptCount = 99
        #expect(settings.attemptCount == 0)
        #expect(throws: SettingsError.self) { try settings.update { settings.attemptCount = 99 } }
        #expect(throws: SettingsError.self) { try settings.$attemptCount.set(99) }
        settings.attemptCount = 20
        #expect(settings.attemptCount == 20)
    }
}

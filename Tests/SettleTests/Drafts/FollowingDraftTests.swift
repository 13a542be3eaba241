import Observation
import Settle
import SettleTesting
import Synchronization
import Testing

/// What a draft's readers learn of, and drafts over a search list.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct FollowingDraftTests {
    @Test("A stream of a draft has its own values, and the original's while the key is untouched") func streams()
        async throws
    {
        let settings = DraftedGroup()
        settings.count = 2
        let draft = settings.draft()
        settings.count = 3
        let values = ChangeRecorder(draft.$count)
        #expect(await values.next() == 3)
        settings.count = 4
        #expect(await values.until { $0.last == 4 }.last == 4)
        draft.count = 5
        #expect(await values.until { $0.last == 5 }.last == 5)
        settings.count = 6
        draft.revert()
        #expect(await values.until { $0.last == 6 }.last == 6)
        #expect(!values.elements.dropLast().contains(6))
    }

    @Test("A stream of a draft's draft has the edits of both, however often the original was written")
    func draftOfDraft() async throws {
        for writes in 0..<4 {
            let settings = DraftedGroup()
            for number in 0..<writes { settings.count = 2 + number }
            let draft = settings.draft()
            let values = ChangeRecorder(draft.settings.draft().$count)
            #expect(await values.next() == settings.count)
            draft.count = 50
            #expect(await values.until { $0.last == 50 }.last == 50)
        }
    }

    private func changes(_ read: () -> Void, _ write: () throws -> Void) async rethrows {
        let (changed, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking(read) { continuation.finish() }
        try write()
        for await _ in changed {}
    }

    @Test("Observation tracks a draft's values and what it tells of itself") func observation() async throws {
        let settings = DraftedGroup()
        let draft = settings.draft()
        await changes({ _ = draft.count }, { settings.count = 2 })
        await changes({ _ = draft.count }, { draft.count = 3 })
        await changes({ _ = draft.isDirty }, { draft.revert() })
        await changes({ _ = draft.isDirty }, { draft.name = "b" })
        await changes({ _ = draft.touchedKeys }, { draft.inner.isOn = true })
        await changes(
            { _ = draft.conflicts },
            {
                settings.inner.level = 3; settings.name = "c"
            })
        await changes({ _ = draft.violations }, { draft.count = 101 })
        await changes({ _ = draft.violations }, { draft.revert(\.$count) })
        try await changes({ _ = draft.touchedKeys }, { try draft.apply(.overwriting) })
        #expect(settings.name == "b" && settings.inner.isOn)
    }

    @Test("A draft shows and writes what the application's domain stores, not what covers it") func covered()
        async throws
    {
        let (high, storage) = (TestDomain(["count": 70, "name": "high"]), InMemoryStorage())
        let store = try await SettingsStore.open(
            storage: storage, searching: SearchList([.source("high", high), .application]))
        let settings = try await store.group(LayeredGroup.self)
        settings.count = 20
        let draft = settings.draft()
        #expect(settings.count == 70 && draft.count == 20 && draft.name == "default" && draft.$count.domains.isCovered)
        draft.count += 1
        try await draft.commit()
        #expect(draft.count == 21 && settings.$count.domains.stored == 21 && storage.tree == plainTree(["count": 21]))
        draft.count = 30
        settings.count = 22
        #expect(draft.conflicts.first?.currentValue as? Int == 22)
        draft.revert()
        draft.count = 30
        var changes = settings.changes.makeAsyncIterator()
        high.set(["count": 71])
        _ = await changes.next()
        #expect(draft.conflicts.first?.originalValue as? Int == 70)
        #expect(draft.conflicts.first?.currentValue as? Int == 71)
        #expect(throws: SettingsError.self) { try draft.apply() }
    }

    @Test("A stream and an observer of a draft get stored values that another domain covers") func coveredChanges()
        async throws
    {
        let high = TestDomain(["count": 70])
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: SearchList([.source("high", high), .application]))
        let settings = try await store.group(LayeredGroup.self)
        settings.count = 20
        let values = ChangeRecorder(settings.draft().$count)
        #expect(await values.next() == 20)
        settings.count = 21
        #expect(await values.until { $0.last == 21 }.last == 21)
        // Not followed by a stream.
        let draft = settings.draft()
        await changes({ _ = draft.count }, { settings.count = 22 })
        #expect(draft.count == 22)
        draft.count = 30
        await changes({ _ = draft.conflicts }, { settings.count = 23 })
        #expect(draft.conflicts.first?.currentValue as? Int == 23)
        // The value that was covered is in force.
        high.set([:])
        for await count in settings.$count where count == 23 { break }
        settings.count = 24
        #expect(await values.until { $0.last == 24 }.last == 24)
    }

    @Test("A stream and an observer of a draft get values of lower domains that another domain covers")
    func coveredLowerChanges() async throws {
        let (high, low) = (TestDomain(["count": 70, "name": "high"]), TestDomain(["count": 20]))
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: SearchList([.source("high", high), .application, .source("low", low), .registration]))
        let settings = try await store.group(LayeredGroup.self)
        let values = ChangeRecorder(settings.draft().$count)
        #expect(await values.next() == 20)
        low.set(["count": 21])
        #expect(await values.until { $0.last == 21 }.last == 21)
        // Not followed by a stream.
        let draft = settings.draft()
        try await changes({ _ = draft.name }, { try store.domains.register(["name": "low"]) })
        #expect(draft.name == "low")
        draft.name = "mine"
        try await changes({ _ = draft.conflicts }, { try store.domains.register(["name": "lower"]) })
        #expect(draft.conflicts.first?.currentValue as? String == "lower")
        #expect(settings.count == 70 && settings.name == "high")
    }

    @Test("A locked key is refused at once, or when the draft is applied, with the key and the domain") func locked()
        async throws
    {
        let high = TestDomain(["name": "locked"])
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: SearchList([.source("high", high, locksKeys: true), .application]))
        let settings = try await store.group(LayeredGroup.self)
        let draft = settings.draft()
        #expect(draft.$name.domains.isLocked && !draft.$count.domains.isLocked)
        draft.name = "mine"
        #expect(draft.violations.first?.code == .locked && draft.touchedKeys == [])
        draft.revert()
        draft.count = 5
        draft.isOn = true
        var changes = settings.changes.makeAsyncIterator()
        high.set(["name": "locked", "count": 1, "list": [1]])
        _ = await changes.next()
        let error = #expect(throws: SettingsError.self) { try draft.apply(.overwriting) }
        #expect(error?.code == .locked && error?.key == "count" && error?.description.contains("high") == true)
        #expect(!settings.isOn && draft.count == 5)
        let owned = try await store.group(OwnedLayeredGroup.self, at: "owned").draft()
        owned.attempts = 1
        try owned.apply()
        #expect(store.keys["owned.attempts"] == .integer(1))
    }

    @Test("Rules, == and deinit may write settings and the draft") func hostile() async throws {
        let settings = HostileDraftedGroup()
        let draft = settings.draft()
        HostileDraftedValue.act.withLock { act in
            act = {
                settings.count += 1
                draft.count += 1
            }
        }
        draft.value = HostileDraftedValue(2)
        draft.value = HostileDraftedValue(3)
        _ = (draft.isDirty, draft.conflicts)
        try draft.apply(.overwriting)
        HostileDraftedValue.act.withLock { $0 = nil }
        #expect(settings.value.number == 3 && settings.count > 0)
        draft.revert()
        #expect(draft.count == settings.count && draft.conflicts.isEmpty)
    }

    @Test("A store has room for 1,000 drafts, and a draft for many settings") func growth() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(DraftedGroup.self)
        let drafts = (0..<1_000).map { _ in settings.draft() }
        for (number, draft) in drafts.enumerated() { draft.inner.level = Double(number) }
        settings.count = 50
        #expect(drafts.allSatisfy { $0.count == 50 && $0.touchedKeys == ["inner.level"] })
        for draft in drafts { try draft.apply(.overwriting) }
        #expect(settings.inner.level == 999 && store.revision == 1_001)
        let wide = try await store.group(WideDraftedGroup.self, at: "wide").draft()
        for group in wide.settings.all { group.count += 1 }
        try wide.apply()
        #expect(wide.settings.all.allSatisfy { $0.count == 2 } && store.revision == 1_002)
    }
}

struct WideDraftedGroup: SettingsGroup {
    let a = DraftedGroup()
    let b = DraftedGroup()
    let c = DraftedGroup()
    var all: [DraftedGroup] { [a, b, c] }
}

/// A value whose `==`, rule and `deinit` run `act`.
final class HostileDraftedValue: Codable, Equatable, Sendable {
    static let act = LockedValue<(@Sendable () -> Void)?>(nil)
    private static let isActing = Atomic(false)
    let number: Int

    init(_ number: Int) { self.number = number }

    static func run() {
        guard !isActing.exchange(true, ordering: .relaxed) else { return }
        act.withLock { $0 }?()
        isActing.store(false, ordering: .relaxed)
    }

    static func == (one: HostileDraftedValue, other: HostileDraftedValue) -> Bool {
        run()
        return one.number == other.number
    }

    deinit { Self.run() }
}

struct HostileDraftedGroup: SettingsGroup {
    @Setting(
        .check("anything") { _ in
            HostileDraftedValue.run()
            return true
        })
    var value = HostileDraftedValue(1)
    @Setting var count = 0
}

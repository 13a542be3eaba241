import Observation
import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

struct DraftedGroup: SettingsGroup {
    @Setting(in: 0...100) var count = 1
    @Setting(.matching(/[a-z]*/)) var name = "a"
    @Setting var list: [Int] = []
    @Setting var token = Secret("none")
    let inner = DraftedInnerGroup()
    var doubled: Int { count * 2 }
}

struct DraftedInnerGroup: SettingsGroup {
    @Setting var isOn = false
    @Setting var level = 0.5
}

@Suite(.timeLimit(.minutes(10))) struct DraftTests {
    private func open() async throws -> (SettingsStore, DraftedGroup) {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return (store, try await store.group(DraftedGroup.self, at: "form"))
    }

    @Test("A draft is read and written like its group, and nobody else sees it") func copy() async throws {
        let (store, settings) = try await open()
        settings.count = 5
        let (draft, before) = (settings.draft(), store.revision)
        draft.count += 1
        draft.list.append(7)
        draft.inner.isOn = true
        try draft.$name.set("b")
        try draft.settings.update { draft.count += 1 }
        #expect(draft.count == 7 && draft.list == [7] && draft.inner.isOn && draft.name == "b" && draft.doubled == 14)
        #expect(settings.count == 5 && settings.list == [] && !settings.inner.isOn && store.revision == before)
        #expect(draft.isDirty && draft.touchedKeys == ["form.count", "form.name", "form.list", "form.inner.isOn"])
        #expect(draft.$count.key == "form.count" && draft.conflicts.isEmpty && draft.violations.isEmpty)
        let snapshot = draft.settings.snapshot()
        draft.count = 8
        #expect(snapshot.count == 7 && snapshot.inner.level == 0.5)
    }

    @Test("Untouched keys have the newest values of the original; writing an equal value touches nothing")
    func untouched() async throws {
        let (_, settings) = try await open()
        let draft = settings.draft()
        draft.count = 1
        #expect(draft.touchedKeys.isEmpty && !draft.isDirty)
        settings.count = 9
        settings.list = [1]
        #expect(draft.count == 9 && draft.list == [1] && draft.settings.snapshot().count == 9)
        #expect(draft.settings.snapshot { $0.count } == 9)
        draft.list.append(2)
        settings.count = 10
        #expect(draft.list == [1, 2] && draft.count == 10 && draft.touchedKeys == ["form.list"])
        draft.list = [1]
        #expect(draft.touchedKeys == ["form.list"] && !draft.isDirty)
    }

    @Test("Applying is one transaction of the touched keys, and the rest follows the original") func apply()
        async throws
    {
        let (store, settings) = try await open()
        let (draft, before) = (settings.draft(), store.revision)
        var changes = draft.changes.makeAsyncIterator()
        draft.count = 5
        draft.inner.isOn = true
        settings.name = "theirs"
        try draft.apply(author: "form")
        #expect(store.revision == before + 2)
        _ = await changes.next()
        let change = try #require(await changes.next())
        #expect(change.author == "form" && change.mutations.map(\.key).sorted() == ["form.count", "form.inner.isOn"])
        #expect(settings.count == 5 && settings.inner.isOn && settings.name == "theirs")
        #expect(!draft.isDirty && draft.touchedKeys.isEmpty)
        settings.count = 6
        #expect(draft.count == 6)
        try draft.apply()
        #expect(store.revision == before + 3)
    }

    @Test("A refused value is listed with its rule until the key is written or reverted, and keeps from applying")
    func violations() async throws {
        let (store, settings) = try await open()
        let draft = settings.draft()
        draft.count = 500
        draft.name = "B"
        draft.inner.isOn = true
        #expect(draft.count == 1 && draft.name == "a" && draft.touchedKeys == ["form.inner.isOn"])
        #expect(draft.violations.map(\.key) == ["form.count", "form.name"])
        #expect(draft.violations.first?.value as? Int == 500 && draft.violations.first?.rule == "in 0...100")
        let error = #expect(throws: SettingsError.self) { try draft.apply() }
        #expect(error?.code == .invalidValue && error?.problems.count == 2 && !settings.inner.isOn)
        draft.count = 1
        draft.revert(\.$name)
        #expect(draft.violations.isEmpty)
        #expect(throws: SettingsError.self) { try draft.$count.set(101) }
        #expect(throws: SettingsError.self) { try draft.settings.update { draft.name = "C" } }
        #expect(draft.violations.map { $0.value as? String ?? "" } == ["", "C"])
        draft.revert()
        draft.inner.isOn = true
        try draft.apply()
        #expect(settings.inner.isOn && draft.violations.isEmpty && store.revision == 1)
    }

    @Test("A conflict is told with all three values, and apply throws unless it overwrites") func conflicts()
        async throws
    {
        let (_, settings) = try await open()
        let draft = settings.draft()
        draft.count = 5
        draft.inner.level = 2
        draft.token = Secret("mine")
        settings.count = 6
        settings.token = Secret("theirs")
        draft.count = 7
        #expect(draft.conflicts.map(\.key) == ["form.count", "form.token"])
        let conflict = try #require(draft.conflicts.first)
        #expect(conflict.originalValue as? Int == 1 && conflict.currentValue as? Int == 6)
        #expect(conflict.draftValue as? Int == 7 && conflict.description == "form.count: 1 → 6, in the draft 7")
        #expect(!"\(draft.conflicts)".contains("mine") && !"\(draft)".contains("theirs"))
        let error = #expect(throws: SettingsError.self) { try draft.apply() }
        #expect(error?.code == .draftConflict && error?.description.contains("theirs") == false)
        #expect(error?.description.contains("“form.count” was 1, is 6 now, and is 7 in the draft") == true)
        #expect(settings.inner.level == 0.5 && draft.isDirty)
        // Both have written the same, or the original is as it was.
        settings.count = 7
        #expect(draft.conflicts.map(\.key) == ["form.token"])
        settings.count = 1
        #expect(draft.conflicts.map(\.key) == ["form.token"])
        #expect(!draft.revert(key: "x") && draft.conflicts.map(\.key) == ["form.token"])
        #expect(draft.revert(key: "form.token"))
        #expect(draft.conflicts.isEmpty && draft.token == settings.token)
        settings.count = 6
        try draft.apply(.overwriting)
        #expect(settings.count == 7 && settings.inner.level == 2)
    }

    @Test("A reset in the draft resets the original when it is applied") func reset() async throws {
        let (_, settings) = try await open()
        settings.count = 5
        settings.inner.level = 9
        let draft = settings.draft()
        try draft.settings.reset()
        #expect(draft.count == 1 && draft.inner.level == 0.5 && settings.count == 5 && draft.isDirty)
        try draft.apply()
        #expect(settings.$count.isDefault && settings.inner.$level.isDefault && settings.count == 1)
    }

    @Test("A draft's transaction is undone with what it has touched") func undo() async throws {
        let (_, settings) = try await open()
        let draft = settings.draft()
        draft.count = 2
        #expect(throws: TestFailure()) {
            try draft.settings.update {
                draft.count = 3
                draft.list = [1]
                #expect(draft.list == [1])
                throw TestFailure()
            }
        }
        #expect(draft.count == 2 && draft.touchedKeys == ["form.count"] && draft.list == [])
    }

    @Test("Commit returns with the values stored, and keeps what was written meanwhile") func commit() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(DraftedGroup.self)
        let draft = settings.draft()
        draft.count = 2
        try await draft.commit(author: "form")
        #expect(storage.tree["count"] == .integer(2) && draft.touchedKeys.isEmpty)
        draft.count = 3
        settings.count = 4
        await #expect(throws: SettingsError.self) { try await draft.commit() }
        #expect(draft.count == 3 && settings.count == 4)
        try await draft.commit(.overwriting)
        #expect(storage.tree["count"] == .integer(3))
        await #expect(throws: SettingsError.self) { try await draft.settings.commit { draft.count = 9 } }
    }

    @Test("A draft is applied outside of transactions only, which could still be undone") func inside() async throws {
        let (_, settings) = try await open()
        let draft = settings.draft()
        draft.count = 2
        #expect(throws: SettingsError.self) { try settings.update { try draft.apply() } }
        #expect(throws: SettingsError.self) { try draft.settings.update { try draft.apply() } }
        #expect(settings.count == 1 && draft.touchedKeys == ["form.count"])
    }

    @Test("Groups that no store has opened have drafts too, and drafts have drafts") func unopened() throws {
        let settings = DraftedGroup()
        let draft = settings.draft()
        draft.count = 2
        let second = draft.settings.draft()
        second.count += 1
        second.inner.isOn = true
        settings.name = "new"
        #expect(second.name == "new" && draft.count == 2 && settings.count == 1)
        draft.count = 4
        #expect(second.conflicts.map(\.key) == ["count"])
        try second.apply(.overwriting)
        #expect(draft.count == 3 && draft.inner.isOn && !settings.inner.isOn)
        try draft.apply()
        #expect(settings.count == 3 && settings.inner.isOn && !draft.isDirty && second.count == 3)
    }

    @Test("After the store has closed, a draft is still read and written, and applying throws") func closed()
        async throws
    {
        let (store, settings) = try await open()
        let draft = settings.draft()
        draft.count = 2
        try await store.close()
        draft.count += 1
        #expect(draft.count == 3 && draft.name == "a")
        let error = #expect(throws: SettingsError.self) { try draft.apply() }
        #expect(error?.code == .closed && draft.count == 3)
    }

    @Test("A draft keeps its store open, and nothing outlives the draft") func lifetime() async throws {
        let weakCore: Weak<StoreCore>
        let weakEngine: Weak<DraftEngine>
        let values: ChangeRecorder<Change>
        do {
            let draft: DraftedGroup
            do {
                let (store, settings) = try await open()
                weakCore = Weak(store.core)
                let made = settings.draft()
                weakEngine = Weak(made.engine)
                made.count = 2
                draft = made.settings
                values = ChangeRecorder(draft.changes)
            }
            #expect(weakCore.object != nil && draft.count == 2)
            draft.count = 3
            #expect(await values.next()?.mutations.first?.newValue as? Int == 3)
        }
        #expect(await values.next() == nil)
        _ = await values.untilEnd()
        try await eventually("the store and the draft are released") {
            weakCore.object == nil && weakEngine.object == nil
        }
    }

    @Test("1,000 tasks' writes of one draft are all kept") func threads() async throws {
        let (_, settings) = try await open()
        let draft = settings.draft()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    draft.inner.level += 1
                    draft.list.append(number)
                    if number.isMultiple(of: 100) { settings.name = "n" }
                }
            }
        }
        #expect(draft.inner.level == 1_000.5 && draft.list.count == 1_000 && settings.list.isEmpty)
    }
}

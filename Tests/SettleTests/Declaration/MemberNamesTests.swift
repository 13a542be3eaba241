import Settle
import Testing

/// Names that snapshots and drafts have themselves.
@Suite(.timeLimit(.minutes(10))) struct MemberNamesTests {
    private struct Page: SettingsGroup {
        @Setting var title = ""
        var inner = Inner()
    }

    private struct Inner: SettingsGroup {
        @Setting var revision = 1
        @Setting("changes") var changeCount = 2
        @Setting var isDirty = true
    }

    private struct Renamed: SettingsGroup {
        @Setting("revision") var edition = 1
        @Setting("description") var text = "a"
    }

    @Test("A setting whose name a snapshot or a draft has is refused, and the error says how it keeps its key")
    func refused() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) { try await store.group(Page.self) }
        let text = error?.description ?? ""
        #expect(text.contains("Inner.revision can't have this name: Snapshot.revision would hide it."), "\(text)")
        #expect(text.contains("@Setting(\"revision\") keeps the key."), "\(text)")
        #expect(text.contains("Inner.isDirty can't have this name: Draft.isDirty would hide it."), "\(text)")
        #expect(!text.contains("changeCount"), "\(text)")
    }

    @Test("Under another name, such a key is a setting as any other") func renamed() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Renamed.self)
        try await settings.commit { settings.edition = 5 }
        #expect(try storage.load().tree["revision"] == .integer(5))
        #expect(settings.snapshot().edition == 5)
    }
}

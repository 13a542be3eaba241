import Foundation
import Settle
import Testing

private struct Leaf: SettingsGroup {
    @Setting var level = 1
}

private struct Revision: SettingsGroup { @Setting var revision = 1 }
private struct Description: SettingsGroup { @Setting var description = "" }
private struct CustomMirror: SettingsGroup { @Setting var customMirror = 1 }
private struct Settings: SettingsGroup { @Setting var settings = 1 }
private struct IsDirty: SettingsGroup { @Setting var isDirty = true }
private struct TouchedKeys: SettingsGroup { @Setting var touchedKeys: [String] = [] }
private struct Violations: SettingsGroup { @Setting var violations = 1 }
private struct Conflicts: SettingsGroup { @Setting var conflicts = 1 }
private struct Changes: SettingsGroup { @Setting var changes = 1 }

private struct RevisionGroup: SettingsGroup { let revision = Leaf() }
private struct DescriptionGroup: SettingsGroup { let description = Leaf() }
private struct CustomMirrorGroup: SettingsGroup { let customMirror = Leaf() }
private struct SettingsGroupGroup: SettingsGroup { let settings = Leaf() }
private struct IsDirtyGroup: SettingsGroup { let isDirty = Leaf() }
private struct TouchedKeysGroup: SettingsGroup { let touchedKeys = Leaf() }
private struct ViolationsGroup: SettingsGroup { let violations = Leaf() }
private struct ConflictsGroup: SettingsGroup { let conflicts = Leaf() }
private struct ChangesGroup: SettingsGroup { let changes = Leaf() }

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

    /// Each name, with a setting that has it and with a group that has it.
    private static let hidden: [String: (setting: any SettingsGroup.Type, group: any SettingsGroup.Type)] = [
        "revision": (Revision.self, RevisionGroup.self), "description": (Description.self, DescriptionGroup.self),
        "customMirror": (CustomMirror.self, CustomMirrorGroup.self),
        "settings": (Settings.self, SettingsGroupGroup.self),
        "isDirty": (IsDirty.self, IsDirtyGroup.self), "touchedKeys": (TouchedKeys.self, TouchedKeysGroup.self),
        "violations": (Violations.self, ViolationsGroup.self), "conflicts": (Conflicts.self, ConflictsGroup.self),
        "changes": (Changes.self, ChangesGroup.self),
    ]

    @Test("Each public property of a snapshot and of a draft is such a name") func properties() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Settle/API")
        var names: Set<String> = []
        for file in ["Declaration/Snapshot.swift", "Drafts/Draft.swift"] {
            let text = try String(contentsOf: sources.appending(path: file).standardizedFileURL, encoding: .utf8)
            names.formUnion(text.matches(of: /public (?:let|var) (\w+)/).map { String($0.output.1) })
        }
        #expect(names == Set(Self.hidden.keys))
    }

    @Test("A setting or a group with such a name is refused", arguments: hidden.keys.sorted())
    func each(name: String) async throws {
        let (setting, group) = try #require(Self.hidden[name])
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for (type, advice) in [
            (setting, "@Setting(\"\(name)\") keeps the key."), (group, "Give the property another name."),
        ] {
            let error = await #expect(throws: SettingsError.self, "\(type)") { _ = try await store.group(type) }
            let text = error?.description ?? ""
            #expect(error?.code == .invalidName && text.contains("\(type).\(name) can't have this name"), "\(text)")
            #expect(text.contains(".\(name) would hide") && text.contains(advice), "\(text)")
        }
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

import Foundation
import Observation
import Settle
import SettleTesting
import Testing

private struct Small: SettingsGroup {
    let byte: UInt8 = 1
    @Setting var number = 1
    @Setting var text = "a"
}

private struct Empty: SettingsGroup {}

private protocol Plain: Sendable { init() }

private struct ThreeBytes: Plain {
    var bytes: (UInt8, UInt8, UInt8) = (1, 2, 3)
}

private struct Nothing: Plain {}

private struct Generic<Extra: Plain, Inner: SettingsGroup>: SettingsGroup {
    let extra = Extra()
    @Setting var before = 1
    let inner = Inner()
    @Setting var after = "b"
}

private enum Mode: Sendable { case off, on(Int) }

private final class Model: Sendable {}

// Sendable: its variable is never written.
@Observable private final class Watched: @unchecked Sendable {
    var isOn = false
}

private struct Everything: SettingsGroup {
    let url = URL(string: "https://example.com")
    let data = Data([1, 2, 3])
    let calendar = Calendar(identifier: .gregorian)
    @Setting private var hidden = 1
    let small = Small()
    let odd = (UInt8(1), UInt16(2), UInt8(3))
    @Setting var flag = true
    let perhaps: Small? = Small()
    let nothing: Small? = nil
    let count: Int? = 3
    let open: any SettingsGroup = Small()
    let mode = Mode.on(1)
    let model = Model()
    let watched = Watched()
    weak var _other: Model?
    let action: @Sendable () -> Int = { 1 }
    let items = [1, 2]
    let empty = Empty()
    lazy var _later = 1
    let bytes = Generic<ThreeBytes, Small>()
    let nested = Generic<Nothing, Generic<ThreeBytes, Empty>>()
    @Setting var last = ["x"]

    var hiddenValue: Int {
        get { hidden }
        nonmutating set { hidden = newValue }
    }
    var opened: Small? { open as? Small }
    var values: String {
        "\(hidden) \(small.number)\(small.text) \(flag) \(perhaps?.number ?? 0) \(opened?.text ?? "") "
            + "\(bytes.before)\(bytes.inner.text)\(bytes.after) \(nested.before)\(nested.inner.after)\(nested.after) \(last)"
    }

    func writeAll() {
        hidden = 2
        small.number = 3
        small.text = "c"
        flag = false
        perhaps?.number = 4
        opened?.text = "d"
        bytes.before = 5
        bytes.inner.text = "e"
        bytes.after = "f"
        nested.before = 6
        nested.inner.after = "g"
        nested.after = "h"
        last = ["y"]
    }

    static let before = #"1 1a true 1 a 1ab 1bb ["x"]"#
    static let after = #"2 3c false 4 d 5ef 6gh ["y"]"#
}

/// A group with its own mirror and its own identity.
private struct Mirrored: SettingsGroup, CustomReflectable {
    static let count = LockedValue(0)
    @Setting var number = 1
    let id = UUID()

    init() { Self.count.withLock { $0 += 1 } }

    var customMirror: Mirror { Mirror(self, children: []) }
}

// Sendable: settings can be used from any thread, and the property that holds one is never written.
private final class ObjectGroup: SettingsGroup, @unchecked Sendable {
    static let access = SettingsAccess.open
    @Setting var count = 1
}

/// Where settings are found in a group, whatever else is in it.
@Suite(.timeLimit(.minutes(10))) struct GroupShapeTests {
    private func groups() async throws -> [Everything] {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        _ = try await store.group(Everything.self, at: "all")
        return [try await store.group(Everything.self, at: "all"), Everything()]
    }

    @Test("Settings are found and saved wherever a group may have them") func saved() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let group = try await store.group(Everything.self)
        group.writeAll()
        #expect(group.values == Everything.after)
        try await store.flush()
        let tree = storage.tree
        #expect(tree["hidden"] == .integer(2) && tree["small.number"] == .integer(3))
        #expect(tree["open.text"] == .string("d"))
        #expect(tree["perhaps.number"] == .integer(4) && tree["bytes.inner.text"] == .string("e"))
        #expect(tree["nested.inner.after"] == .string("g") && tree["last"] == .array([.string("y")]))
        #expect(store.settings.count == 17)
    }

    @Test("A snapshot freezes all settings, and keeps the rest of the group") func snapshots() async throws {
        for group in try await groups() {
            let snapshot = group.snapshot()
            group.writeAll()
            #expect(snapshot[\.values] == Everything.before && group.values == Everything.after)
            #expect(snapshot[\.data] == group.data && snapshot[\.url] == group.url && snapshot[\.odd] == group.odd)
            #expect(snapshot[\.watched] === group.watched && snapshot[\.calendar] == group.calendar)
            #expect(snapshot[\.bytes].extra.bytes == (1, 2, 3) && snapshot[\.small].byte == 1)
            #expect(group.snapshot { $0.values } == Everything.after)
        }
    }

    @Test("A draft has all settings of its own, and applies them") func drafts() async throws {
        for group in try await groups() {
            let draft = group.draft()
            #expect(draft.values == Everything.before && !draft.isDirty)
            draft.settings.writeAll()
            #expect(draft.values == Everything.after && group.values == Everything.before)
            #expect(draft.touchedKeys.count == 13)
            try draft.apply()
            #expect(group.values == Everything.after && !draft.isDirty)
        }
    }

    @Test("A group's own mirror hides no setting, and copies of a group call no initializer")
    func mirrored() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let group = try await store.group(Mirrored.self)
        let snapshot = group.snapshot()
        let draft = group.draft()
        #expect(snapshot[\.id] == group.id && draft.settings.id == group.id)
        #expect(Mirrored.count.withLock { $0 } == 1)
        try await group.commit { group.number = 2 }
        #expect(storage.tree["number"] == .integer(2) && snapshot.number == 1 && draft.number == 2)
    }

    @Test("A group that is an object has snapshots and drafts in memory") func objects() throws {
        let group = ObjectGroup()
        let (snapshot, draft) = (group.snapshot(), group.draft())
        group.count = 2
        #expect(snapshot.count == 1 && draft.count == 2)
        draft.count = 3
        #expect(group.count == 2)
        try draft.apply()
        #expect(group.count == 3)
    }

    @Test("A group without settings has empty snapshots and drafts") func empty() throws {
        #expect(Empty().snapshot().revision == 0)
        let draft = Empty().draft()
        #expect(!draft.isDirty)
        try draft.apply()
    }

    @Test("Tasks that first write a new draft at the same time lose no write") func firstWrites() async throws {
        for group in try await groups() {
            for _ in 0..<50 {
                let draft = group.draft()
                await withTaskGroup(of: Void.self) { tasks in
                    for _ in 0..<4 { tasks.addTask { draft.small.number += 1 } }
                }
                #expect(draft.small.number == 5)
            }
        }
    }

    @Test("Snapshots that are taken while others write are of one state each") func consistent() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let group = try await store.group(Everything.self)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for number in 0..<2_000 {
                    try? group.update {
                        group.small.number = number
                        group.small.text = "\(number)"
                        group.bytes.before = number
                    }
                }
            }
            tasks.addTask {
                try? group.update {
                    group.small.number = 0
                    group.small.text = "0"
                    group.bytes.before = 0
                }
                for _ in 0..<2_000 {
                    let snapshot = group.snapshot()
                    let number = snapshot.small.number
                    #expect(snapshot.small.text == "\(number)" && snapshot.bytes.before == number)
                }
            }
        }
    }
}

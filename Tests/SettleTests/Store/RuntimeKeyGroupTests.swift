import Settle
import SettleTesting
import Testing

private struct Scalar: SettingsGroup {
    @Setting var count = 1
    @Setting var table: [String: Int] = [:]
}

/// Groups around and within keys that were written before any group declared them.
@Suite(.timeLimit(.minutes(10))) struct RuntimeKeyGroupTests {
    /// A store that saves nothing by itself.
    private func open(_ root: SettingValue.Entries = [:]) async throws -> (SettingsStore, InMemoryStorage) {
        let storage = InMemoryStorage(SettingTree(root))
        let configuration = SettingsStore.Configuration(
            savePolicy: .debounced(quiet: .seconds(60), atMost: .seconds(600)), clock: ManualClock())
        return (try await SettingsStore.open(storage: storage, configuration: configuration), storage)
    }

    @Test("A declared setting around or within a key refuses, and is named with it")
    func declaredSettingAround() async throws {
        let (store, _) = try await open()
        _ = try await store.group(Scalar.self, at: "g")
        for key in ["g", "g.count.x", "g.table.x"] {
            let error = #expect(throws: SettingsError.self) { try store.keys.setValue(1, forKey: key) }
            #expect(error?.code == .duplicateKey && error?.key == key)
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("“\(key)” of a write at run time") && text.contains("of Scalar."))
        }
    }

    @Test("A group opens at a key with a write around it that waits to be saved") func groupOpensKey() async throws {
        for isSaved in [false, true] {
            let (store, storage) = try await open()
            try store.keys.setValue(5, forKey: "scalar")
            try store.keys.setValue(["count": 7, "x": 1], forKey: "dictionary")
            if isSaved { try await store.flush() }
            let scalar = try await store.group(Scalar.self, at: "scalar")
            let dictionary = try await store.group(Scalar.self, at: "dictionary")
            #expect(scalar.count == 1 && dictionary.count == 7)
            scalar.count = 2
            #expect(try store.keys.value(forKey: "scalar.count", as: Int.self) == 2)
            #expect(try store.keys.value(forKey: "scalar", as: [String: Int].self) == ["count": 2])
            dictionary.count = 8
            #expect(try store.keys.value(forKey: "dictionary", as: [String: Int].self) == ["count": 8, "x": 1])
            try await store.flush()
            #expect(
                storage.tree.root == [
                    "scalar": .dictionary(["count": .integer(2)]),
                    "dictionary": .dictionary(["count": .integer(8), "x": .integer(1)]),
                ])
        }
    }

    @Test("A key beside a setting that was declared within an unsaved write is written with it")
    func keyBesideSetting() async throws {
        for isSaved in [false, true] {
            let (store, storage) = try await open()
            try store.keys.setValue(["count": 7, "x": 1], forKey: "g")
            if isSaved { try await store.flush() }
            let group = try await store.group(Scalar.self, at: "g")
            group.count = 8
            try store.keys.setValue(2, forKey: "g.x")
            #expect(group.count == 8)
            #expect(try store.keys.value(forKey: "g", as: [String: Int].self) == ["count": 8, "x": 2])
            try await store.flush()
            #expect(storage.tree["g"] == .dictionary(["count": .integer(8), "x": .integer(2)]))
            try store.keys.setValue(3, forKey: "g.y")
            #expect(try store.keys.removeAll(at: "none") == 0)
            #expect(try store.keys.removeAll(at: "g") == 3)
            #expect(try store.keys.removeAll(at: "g") == 0)
            #expect(group.count == 1 && store.keys.groupNames() == [])
            try await store.flush()
            #expect(storage.tree.root.isEmpty)
        }
    }

    @Test("A group opens around a key with a write that waits to be saved") func groupOpensAround() async throws {
        for isSaved in [false, true] {
            let (store, storage) = try await open(["g": .dictionary(["table": .dictionary(["y": .integer(2)])])])
            try store.keys.setValue(1, forKey: "g.table.x")
            if isSaved { try await store.flush() }
            let group = try await store.group(Scalar.self, at: "g")
            #expect(group.table == ["x": 1, "y": 2])
            group.table = ["z": 3]
            #expect(try store.keys.value(forKey: "g.table.x", as: Int.self) == nil)
            try await store.flush()
            #expect(storage.tree["g.table"] == .dictionary(["z": .integer(3)]))
        }
    }
}

import Settle
import SettleTesting
import Testing

private struct Inner: SettingsGroup {
    @Setting var count = 0
}

private struct Guarded: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting(in: 0...20) var attempts = 0
    @Setting var table: [String: Int] = [:]
    let inner = Inner()
}

private struct Around: SettingsGroup {
    @Setting var title = "a"
    let guarded = Guarded()
}

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct OwnerAccessTests {
    private func open(
        _ storage: InMemoryStorage = InMemoryStorage()
    ) async throws -> (store: SettingsStore, around: Around) {
        let store = try await SettingsStore.open(storage: storage)
        let around = try await store.group(Around.self)
        around.title = "b"
        around.guarded.attempts = 3
        around.guarded.inner.count = 4
        return (store, around)
    }

    private func code(of body: () throws -> Void) -> SettingsError.Code? {
        (thrown(by: body) as? SettingsError)?.code
    }

    @Test("Resetting the store or an outer group leaves an owner's settings unchanged")
    func resets() async throws {
        let (store, around) = try await open()
        try store.reset()
        #expect(around.title == "a" && around.guarded.attempts == 3 && around.guarded.inner.count == 4)
        around.title = "b"
        try around.reset()
        #expect(around.title == "a" && around.guarded.attempts == 3 && around.guarded.inner.count == 4)
        let detached = Around()
        detached.guarded.inner.count = 1
        try detached.reset()
        #expect(detached.guarded.inner.count == 1)
    }

    @Test("The owner can reset and write its settings") func owner() async throws {
        let (_, around) = try await open()
        try around.guarded.$attempts.reset()
        #expect(around.guarded.attempts == 0)
        try around.guarded.$attempts.set(5)
        try around.update { around.guarded.attempts += 1 }
        #expect(around.guarded.attempts == 6)
        try around.guarded.inner.reset()
        #expect(around.guarded.attempts == 6 && around.guarded.inner.count == 0)
        try around.guarded.reset()
        #expect(around.guarded.attempts == 0)
    }

    @Test("Writes and removals by key at, around or within an owner's setting are refused with key and rule")
    func keys() async throws {
        let (store, around) = try await open()
        for key in ["guarded.attempts", "guarded", "guarded.table.x", "guarded.inner", "guarded.inner.count"] {
            #expect(code { try store.keys.setValue(0, forKey: key) } == .protected, "\(key)")
            #expect(code { try store.keys.setValue(.dictionary([:]), forKey: key) } == .protected, "\(key)")
            #expect(code { try store.keys.removeValue(forKey: key) } == .protected, "\(key)")
        }
        let at = #expect(throws: SettingsError.self) { try store.keys.setValue(0, forKey: "guarded.attempts") }
        #expect(at?.key == "guarded.attempts" && at?.rule == "written by code that has its group")
        #expect(
            at?.description
                == "“guarded.attempts” can't be written by its key: it is Guarded.attempts, which must be written by code "
                + "that has its group.")
        let outer = #expect(throws: SettingsError.self) { try store.keys.removeValue(forKey: "guarded") }
        #expect(
            outer?.description
                == "“guarded” can't be written by its key: “guarded.attempts” lies within it, which is Guarded.attempts and "
                + "must be written by code that has its group.")
        #expect(code { try around.update { try store.keys.setValue(0, forKey: "guarded.attempts") } } == .protected)
        #expect(around.guarded.attempts == 3 && around.guarded.inner.count == 4)
        try store.keys.setValue("c", forKey: "title")
        try store.keys.setValue(1, forKey: "other")
        #expect(around.title == "c")
        #expect(try store.keys.value(forKey: "guarded.attempts", as: Int.self) == 3)
    }

    @Test("An owner's settings are protected even while their group is not in use") func letGo() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        do {
            let guarded = try await store.group(Guarded.self, at: "guarded")
            try await guarded.commit { guarded.attempts = 3 }
        }
        for key in ["guarded.attempts", "guarded", "guarded.attempts.x"] {
            #expect(code { try store.keys.setValue(.dictionary([:]), forKey: key) } == .protected, "\(key)")
            #expect(code { try store.keys.removeValue(forKey: key) } == .protected, "\(key)")
        }
        try store.reset()
        #expect(try await store.group(Guarded.self, at: "guarded").attempts == 3)
        #expect(storage.tree["guarded.attempts"] == .integer(3))
    }

    @Test("A group belongs to an owner's group opened around it, whichever is opened first")
    func opening() async throws {
        for opensInnerFirst in [true, false] {
            let store = try await SettingsStore.open(storage: InMemoryStorage())
            var inner: Inner?
            if opensInnerFirst { inner = try await store.group(Inner.self, at: "guarded.inner") }
            let guarded = try await store.group(Guarded.self, at: "guarded")
            if !opensInnerFirst { inner = try await store.group(Inner.self, at: "guarded.inner") }
            guarded.inner.count = 7
            try store.reset()
            #expect(inner?.count == 7)
            #expect(code { try store.keys.setValue(0, forKey: "guarded.inner.count") } == .protected)
            #expect(store.keys.setting(forKey: "guarded.inner.count")?.access == .owner)
        }
    }

    @Test("An external change to an owner's settings is accepted") func external() async throws {
        let storage = InMemoryStorage()
        let (store, around) = try await open(storage)
        try await store.flush()
        let recorder = ChangeRecorder(store.changes)
        storage.simulateExternalChange(SettingTree(["guarded": .dictionary(["attempts": .integer(9)])]))
        #expect(await recorder.next()?.origin == .external)
        #expect(around.guarded.attempts == 9 && around.guarded.inner.count == 0)
    }
}

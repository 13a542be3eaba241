import Dispatch
import Foundation
import Settle
import SettleTesting
import Testing

/// Keys that no group declares.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RuntimeKeyTests {
    /// A store that saves nothing by itself.
    private func open(_ root: SettingValue.Entries = [:]) async throws -> (SettingsStore, InMemoryStorage) {
        let storage = InMemoryStorage(SettingTree(root))
        let configuration = SettingsStore.Configuration(
            savePolicy: .debounced(quiet: .seconds(60), atMost: .seconds(600)), clock: ManualClock())
        return (try await SettingsStore.open(storage: storage, configuration: configuration), storage)
    }

    /// Performs the steps with each write unsaved, with each one saved, and in one transaction, and compares what is
    /// read by key, what is stored and what a restart finds.
    private func expectSame(
        from root: SettingValue.Entries = [:], _ expected: SettingValue.Entries,
        _ steps: ((SettingsStore) throws -> Void)...
    ) async throws {
        for mode in ["unsaved", "saved", "together"] {
            let (store, storage) = try await open(root)
            if mode == "together" {
                try store.update { for step in steps { try step(store) } }
            } else {
                for step in steps {
                    try step(store)
                    if mode == "saved" { try await store.flush() }
                }
            }
            for (name, value) in expected {
                #expect(try store.keys.value(forKey: name, as: Node.self) == Node(value), "\(mode)")
            }
            for name in root.keys where expected[name] == nil {
                #expect(try store.keys.value(forKey: name, as: Node.self) == nil, "\(mode)")
            }
            try await store.flush()
            #expect(storage.tree.root == expected, "\(mode)")
            let again = try await SettingsStore.open(storage: InMemoryStorage(storage.tree))
            for (name, value) in expected {
                #expect(try again.keys.value(forKey: name, as: Node.self) == Node(value))
            }
        }
    }

    // MARK: Transactions

    @Test("A transaction sees its own write of a new key") func transactionSeesOwn() async throws {
        let (store, _) = try await open()
        try store.update {
            try store.keys.setValue(1, forKey: "k")
            try store.keys.setValue(2, forKey: "z.y")
            #expect(try store.keys.value(forKey: "k", as: Int.self) == 1)
            #expect(try store.keys.value(forKey: "z.y", as: Int.self) == 2)
            #expect(try store.keys.value(forKey: "z", as: [String: Int].self) == ["y": 2])
            #expect(store.keys.groupNames() == ["z"])
            #expect(store.keys.groupNames(at: "z") == [])
            try store.keys.removeValue(forKey: "z.y")
            #expect(try store.keys.value(forKey: "z.y", as: Int.self) == nil)
            #expect(try store.keys.value(forKey: "z", as: [String: Int].self) == nil)
            #expect(store.keys.groupNames() == [])
            try store.keys.setValue(3, forKey: "z.y")
        }
        #expect(try store.keys.value(forKey: "z", as: [String: Int].self) == ["y": 3])
    }

    @Test("Nobody else sees a new key before the end of its transaction") func nobodyElseSees() async throws {
        let (store, _) = try await open()
        let seen = Seen()
        // On its own thread, because it waits for another one inside the transaction.
        try await onThread {
            Result {
                try store.update {
                    try store.keys.setValue(1, forKey: "k")
                    try store.keys.setValue(2, forKey: "z.y")
                    seen.look(at: store)
                }
            }
        }.get()
        #expect(seen.value == nil && seen.inner == nil && seen.groups == [])
    }

    @Test("A commit sees its own write of a new key") func commitSeesOwn() async throws {
        let (store, _) = try await open()
        let seen = try await store.commit {
            try store.keys.setValue(1, forKey: "k.l")
            return (try store.keys.value(forKey: "k.l", as: Int.self), store.keys.groupNames())
        }
        #expect(seen.0 == 1 && seen.1 == ["k"])
    }

    @Test("What an undone transaction has written by key is gone") func undoneTransactionWritten() async throws {
        let (store, storage) = try await open(["a": .integer(1)])
        _ = thrown {
            try store.update {
                try store.keys.setValue(2, forKey: "a")
                try store.keys.setValue(3, forKey: "b")
                #expect(try store.keys.value(forKey: "a", as: Int.self) == 2)
                throw TestFailure()
            }
        }
        #expect(try store.keys.value(forKey: "a", as: Int.self) == 1)
        #expect(try store.keys.value(forKey: "b", as: Int.self) == nil)
        #expect(store.keys.groupNames() == [])
        try store.keys.setValue(4, forKey: "b.c")
        try await store.flush()
        #expect(storage.tree.root == ["a": .integer(1), "b": .dictionary(["c": .integer(4)])])
    }

    // MARK: Around and within

    @Test("A later write replaces what was written within it or around it") func laterWriteReplaces() async throws {
        try await expectSame(
            ["a": .integer(2)], { try $0.keys.setValue(1, forKey: "a.b") }, { try $0.keys.setValue(2, forKey: "a") })
        try await expectSame(
            ["a": .dictionary(["b": .integer(1)])], { try $0.keys.setValue(2, forKey: "a") },
            { try $0.keys.setValue(1, forKey: "a.b") })
        try await expectSame(
            ["a": .dictionary(["b": .integer(3)])], { try $0.keys.setValue(1, forKey: "a.b") },
            { try $0.keys.setValue(["b": 3], forKey: "a") })
        try await expectSame(
            ["a": .dictionary(["b": .integer(4), "c": .integer(1)])],
            { try $0.keys.setValue(["b": 3, "c": 1], forKey: "a") },
            { try $0.keys.setValue(4, forKey: "a.b") })
    }

    @Test("A removal takes what was written within it") func removalTakesWritten() async throws {
        try await expectSame([:], { try $0.keys.setValue(1, forKey: "a.b") }, { try $0.keys.removeValue(forKey: "a") })
        try await expectSame(
            ["a": .dictionary(["c": .integer(1)])], { try $0.keys.setValue(["b": 3, "c": 1], forKey: "a") },
            { try $0.keys.removeValue(forKey: "a.b") })
        try await expectSame(
            from: ["a": .dictionary(["x": .integer(9)])], ["a": .dictionary(["b": .integer(1)])],
            { try $0.keys.removeValue(forKey: "a") }, { try $0.keys.setValue(1, forKey: "a.b") })
        try await expectSame(
            from: ["a": .dictionary(["x": .integer(9)])], ["a": .dictionary(["x": .integer(9)])],
            { try $0.keys.setValue(1, forKey: "a.b.c") }, { try $0.keys.setValue(2, forKey: "a.b") },
            { try $0.keys.removeValue(forKey: "a.b") })
    }

    @Test("Writes around and within each other in turn leave what the last ones say")
    func writesAroundWithin() async throws {
        try await expectSame(
            ["a": .dictionary(["b": .dictionary(["c": .integer(5)]), "d": .integer(6)])],
            { try $0.keys.setValue(1, forKey: "a.b.c") }, { try $0.keys.setValue(2, forKey: "a") },
            { try $0.keys.setValue(3, forKey: "a.b") }, { try $0.keys.setValue(4, forKey: "a.b.x") },
            { try $0.keys.setValue(["c": 5], forKey: "a.b") }, { try $0.keys.setValue(6, forKey: "a.d") })
    }

    @Test("What is written around a key whose save has failed or is under way replaces it")
    func writtenAroundKey() async throws {
        for isHeld in [false, true] {
            let memory = InMemoryStorage(SettingTree(["a": .dictionary(["x": .integer(0)])]))
            let failing = FailingStorage(memory)
            let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: ManualClock()))
            if isHeld {
                let hold = failing.hold(.append)
                try store.keys.setValue(1, forKey: "a.b")
                await hold.waitUntilReached()
                try store.keys.setValue(["b": 2], forKey: "a")
                hold.release()
            } else {
                failing.fail(.append, with: StorageError(.noSpace, "There is no room."))
                try store.keys.setValue(1, forKey: "a.b")
                await #expect(throws: SettingsError.self) { try await store.flush() }
                try store.keys.setValue(["b": 2], forKey: "a")
                await #expect(throws: SettingsError.self) { try await store.flush() }
                failing.heal()
            }
            try await store.flush()
            #expect(memory.tree.root == ["a": .dictionary(["b": .integer(2)])])
            #expect(try store.keys.value(forKey: "a.b", as: Int.self) == 2)
            try await store.close()
        }
    }

    @Test("What is written within a value that can't be saved yet is saved after it")
    func writtenWithinValue() async throws {
        for count in [1, 2, 3, .max] {
            let memory = InMemoryStorage(SettingTree(["a": .dictionary(["x": .integer(0)])]))
            let failing = FailingStorage(memory)
            let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: ManualClock()))
            failing.fail(.append, with: StorageError(.unsupportedValue, "It is too much."), count: count)
            try store.update {
                try store.keys.setValue(["b": 1, "c": 1], forKey: "a")
                try store.keys.setValue(2, forKey: "a.b")
            }
            // The first append or this one sets one or both values aside.
            _ = try? await store.flush()
            try store.keys.setValue(3, forKey: "a.c")
            _ = try? await store.flush()
            #expect(try store.keys.value(forKey: "a", as: [String: Int].self) == ["b": 2, "c": 3], "\(count)")
            try store.keys.removeValue(forKey: "a.b")
            #expect(try store.keys.value(forKey: "a", as: [String: Int].self) == ["c": 3])
            failing.heal()
            try await store.flush()
            #expect(memory.tree.root == ["a": .dictionary(["c": .integer(3)])], "\(count)")
            #expect(store.status == .saved && store.core.indexedSettingCount == 0)
            try await store.close()
        }
    }

    @Test("An append does not save what is within a value that waits to be tried again")
    func appendSaveWithin() async throws {
        let (memory, clock) = (InMemoryStorage(), ManualClock())
        let failing = FailingStorage(memory)
        let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: clock))
        failing.fail(.append, with: StorageError(.unsupportedValue, "It is too much."))
        try store.keys.setValue(["b": 1, "c": 1], forKey: "a")
        try store.keys.setValue(2, forKey: "a.b")
        await #expect(throws: SettingsError.self) { try await store.flush() }
        failing.heal()
        let hold = failing.hold(.append)
        try store.update {
            try store.keys.setValue(3, forKey: "a.c")
            try store.keys.setValue(4, forKey: "other")
        }
        // The retry comes after a delay of its own.
        let time = Task {
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(50))
                await Task.yield()
            }
        }
        await hold.waitUntilReached()
        time.cancel()
        hold.release()
        try await store.flush()
        #expect(try store.keys.value(forKey: "a", as: [String: Int].self) == ["b": 2, "c": 3])
        #expect(memory.tree["a"] == .dictionary(["b": .integer(2), "c": .integer(3)]))
        #expect(store.core.indexedSettingCount == 0)
    }

    @Test("A value that is not a dictionary becomes one, which goes with its last member")
    func valueDictionaryBecomes() async throws {
        try await expectSame(
            [:], { try $0.keys.setValue(5, forKey: "a") }, { try $0.keys.setValue(1, forKey: "a.b.c") },
            { try $0.keys.removeValue(forKey: "a.b.c") })
    }
}

/// What another thread sees.
private final class Seen: @unchecked Sendable {
    // Sendable: the thread has ended when the values are read.
    var value: Int?
    var inner: [String: Int]?
    var groups: [String] = ["?"]

    func look(at store: SettingsStore) {
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            self.value = try? store.keys.value(forKey: "k", as: Int.self)
            self.inner = try? store.keys.value(forKey: "z", as: [String: Int].self)
            self.groups = store.keys.groupNames()
            end.signal()
        }
        end.wait()
    }
}

import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct StorageDoublesTests {
    private let noSpace = StorageError(.noSpace, "There is no room.")

    @Test("A recording storage lists all calls in order, with their errors") func records() async throws {
        let failing = FailingStorage()
        let storage = RecordingStorage(failing)
        _ = try await storage.load()
        let first = batch(1, ["a": .integer(1)])
        try await storage.append(first, durability: .buffered)
        failing.fail(.append, with: noSpace)
        await #expect(throws: noSpace) { try await storage.append(first, durability: .synced) }
        _ = try await storage.checkpoint(SettingTree(), for: .settled)
        await storage.close()
        #expect(
            storage.calls == [
                StorageCall(.load), StorageCall(.append(first, .buffered)),
                StorageCall(.append(first, .synced), error: noSpace), StorageCall(.checkpoint(.settled)),
                StorageCall(.close),
            ])
        #expect(storage.batches == [first])
    }

    @Test("A test can wait for a number of batches") func waits() async throws {
        let storage = RecordingStorage()
        _ = try await storage.load()
        async let batches = storage.batches(atLeast: 2)
        try await storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        try await storage.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        #expect(await batches.map(\.revision) == [1, 2])
    }

    @Test("Cancelling the task ends the wait for batches") func cancelled() async {
        let storage = RecordingStorage()
        let task = Task { await storage.batches(atLeast: 1) }
        task.cancel()
        #expect(await task.value.isEmpty)
    }

    @Test("A failing storage fails only the chosen calls, not those before or after them") func counts() async throws {
        let storage = FailingStorage()
        _ = try await storage.load()
        storage.fail(.append, with: noSpace, skipping: 1, count: 2)
        let values = batch(1, ["a": .integer(1)])
        try await storage.append(values, durability: .buffered)
        await #expect(throws: noSpace) { try await storage.append(values, durability: .buffered) }
        _ = try await storage.load()
        await #expect(throws: noSpace) { try await storage.append(values, durability: .buffered) }
        try await storage.append(values, durability: .buffered)
        storage.fail(.load, with: noSpace)
        await #expect(throws: noSpace) { try await storage.load() }
        storage.heal()
        _ = try await storage.load()
    }

    @Test("A failure after the call keeps the call's effect") func failsAfterwards() async throws {
        let memory = InMemoryStorage()
        let storage = FailingStorage(memory)
        _ = try await storage.load()
        storage.fail(.append, with: noSpace, moment: .after)
        await #expect(throws: noSpace) { try await storage.append(batch(1, ["a": .integer(1)]), durability: .buffered) }
        #expect(memory.tree.root == ["a": .integer(1)])
    }

    @Test("A held call waits until it is released") func holds() async throws {
        let memory = InMemoryStorage()
        let storage = FailingStorage(memory)
        _ = try await storage.load()
        let hold = storage.hold(.append)
        let call = Task {
            _ = try await storage.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        }
        await hold.waitUntilReached()
        #expect(memory.tree.root.isEmpty)
        hold.release()
        try await call.value
        #expect(memory.tree.root == ["a": .integer(1)])
    }

    @Test("The in-memory storage stores and reports external changes in order until it is closed")
    func external() throws {
        let storage = InMemoryStorage()
        storage.simulateExternalChange(SettingTree(["a": .integer(1)]))
        storage.simulateExternalChange(SettingTree(["a": .integer(2)]))
        let contents = try storage.load()
        #expect(contents == intact(["a": .integer(2)]))
        storage.simulateExternalChange(SettingTree(["a": .integer(3)]))
        storage.simulateExternalChange(["b": .integer(4)], author: "editor")
        let told = try storage.changes(after: contents.position)
        #expect(
            told.changes == [
                ExternalChange(.everything(SettingTree(["a": .integer(3)]))),
                ExternalChange(.values(["b": .integer(4)]), author: "editor"),
            ])
        #expect(try storage.changes(after: told.position).changes.isEmpty)
        storage.close()
        storage.simulateExternalChange(SettingTree())
        #expect(storage.tree.root == ["a": .integer(3), "b": .integer(4)])
    }

    @Test("A storage that is never loaded makes its memory keep no changes") func neverLoaded() async throws {
        let idle = InMemoryStorage()
        let (writer, reader) = (InMemoryStorage(sharing: idle), InMemoryStorage(sharing: idle))
        _ = try writer.load()
        let start = try reader.load().position
        try await writer.append(batch(1, ["a": .integer(1)]), durability: .buffered)
        #expect(try reader.changes(after: start).changes.count == 1)
        // What is kept could be asked for again.
        #expect(try reader.changes(after: start).changes.isEmpty)
        #expect(try idle.load() == intact(["a": .integer(1)]))
    }

    @Test("Nothing is appended to a memory while another storage has its lock for transactions")
    func lockedOut() async throws {
        let first = InMemoryStorage()
        let second = InMemoryStorage(sharing: first)
        for storage in [first, second] { _ = try storage.load() }
        let hasEnded = LockedValue(false)
        defer { hasEnded.withLock { $0 = true } }
        let appending = Task {
            var number: UInt64 = 0
            while !hasEnded.withLock({ $0 }) {
                number += 1
                try await second.append(batch(number, ["a": .integer(1)]), durability: .buffered)
                // It need not suspend, and would keep its thread.
                await Task.yield()
            }
        }
        var conflicts = 0
        for number: UInt64 in 1...5_000 {
            guard let lease = try await first.lockForTransaction() else { throw TestFailure() }
            let own = StorageBatch(revision: number, values: ["b": .integer(1)], conditions: [.at(lease.position)])
            do {
                try await first.append(own, durability: .buffered)
            } catch {
                conflicts += 1
            }
            first.unlock(lease)
            await Task.yield()
        }
        hasEnded.withLock { $0 = true }
        try await appending.value
        #expect(conflicts == 0)
    }

    @Test("An in-memory storage with initial values loads as intact") func preset() throws {
        #expect(try InMemoryStorage(SettingTree(["a": .integer(1)])).load() == intact(["a": .integer(1)]))
    }
}

import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Unconfirmed commits under kills, losses of power, failures of the storage, and other processes.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnconfirmedFailureTests {
    private static let length = Duration.seconds(300)

    private func settled(_ store: SettingsStore) async throws {
        try await eventually("nothing is unconfirmed") { store.unconfirmed.change == nil }
    }

    // MARK: Kills

    /// The values of both keys, and whether they are unconfirmed: a crash leaves all of a commit or nothing of it.
    private func state(_ store: SettingsStore) throws -> (value: Int64, isUnconfirmed: Bool) {
        let tree = store.keys.effectiveValues
        let pair = [tree["a"], tree["b"]].map { if case .integer(let value)? = $0 { value } else { Int64(0) } }
        guard pair[0] == pair[1] else { throw TestFailure(number: Int(10 * pair[0] + pair[1])) }
        return (pair[0], store.unconfirmed.change != nil)
    }

    private func set(_ value: Int, in store: SettingsStore) throws {
        try store.keys.setValue(value, forKey: "a")
        try store.keys.setValue(value, forKey: "b")
    }

    @Test(
        "A kill or loss of power at any call leaves the values with their record, or neither", arguments: [false, true])
    func committing(isConfirmed: Bool) async throws {
        try await forEachCrashPoint(acknowledging: Int.self, maximumImagesPerPoint: 12) { run in
            let store = try await run.openStore()
            try await store.commit { try set(1, in: store) }
            try await store.commit(confirmWithin: Self.length) { try set(2, in: store) }
            run.acknowledge(2)
            if isConfirmed {
                try await store.unconfirmed.confirm()
                run.acknowledge(3)
            }
            try await run.settle()
            try await store.close()
        } check: { recovered in
            let (value, isUnconfirmed) = try state(recovered.store)
            let told = recovered.acknowledged.last ?? 0
            if isUnconfirmed { #expect(value == 2 && told < 3, "\(recovered)") }
            // Without a record, it was confirmed or never committed.
            if value == 2, !isConfirmed { #expect(isUnconfirmed, "\(recovered)") }
            if told >= 2 { #expect(value == 2, "\(recovered)") }
            if isUnconfirmed {
                try await recovered.store.unconfirmed.revert()
                #expect(try state(recovered.store) == (1, false), "\(recovered)")
            }
        }
    }

    @Test("A kill while it is taken back leaves it unconfirmed or taken back", arguments: [false, true])
    func takingBack(isOpening: Bool) async throws {
        try await forEachCrashPoint(acknowledging: Int.self, maximumImagesPerPoint: 12) { run in
            var store = try await run.openStore()
            try await store.commit { try set(1, in: store) }
            try await store.commit(confirmWithin: Self.length) { [store] in try set(2, in: store) }
            run.acknowledge(2)
            if isOpening {
                try await store.close()
                run.clock.advance(by: Self.length)
                store = try await run.openStore()
            } else {
                await run.clock.sleepers(atLeast: 1)
                run.clock.advance(by: Self.length)
                try await settled(store)
                try await store.flush()
            }
            #expect(try state(store) == (1, false))
            run.acknowledge(1)
            try await store.close()
        } check: { recovered in
            let (value, isUnconfirmed) = try state(recovered.store)
            #expect(isUnconfirmed == (value == 2), "\(recovered)")
            if recovered.acknowledged.last == 1 { #expect(value == 1, "\(recovered)") }
            // The next process, on a boot of its own, does it when the rest of the time is over.
            guard isUnconfirmed else { return }
            await recovered.clock.sleepers(atLeast: 1)
            recovered.clock.advance(by: Self.length)
            try await settled(recovered.store)
            #expect(try state(recovered.store) == (1, false), "\(recovered)")
        }
    }

    // MARK: Two processes

    @Test("Of two processes one takes it back, and once", arguments: HistoryPlace.Kind.allCases)
    func twoProcesses(_ kind: HistoryPlace.Kind) async throws {
        for round in 1...25 {
            let home = try HistoryPlace(kind)
            let stores = (try await home.open(), try await home.open())
            try await stores.0.commit { try set(1, in: stores.0) }
            try await stores.1.commit(author: "alice", confirmWithin: Self.length) { try set(2, in: stores.1) }
            // The other one learns of it by the storage's signal.
            _ = try await stores.0.entries(limit: 1)
            #expect(stores.0.unconfirmed.change?.author == "alice")
            await home.clock.sleepers(atLeast: 2)
            home.clock.advance(by: Self.length)
            try await settled(stores.0)
            _ = try await stores.1.entries(limit: 1)
            try await settled(stores.1)
            for store in [stores.0, stores.1] { try await store.flush() }
            let entries = try await stores.0.entries()
            #expect(entries.compactMap(\.reason) == ["not confirmed within 5 minutes"], "round \(round)")
            #expect(entries.filter { $0.undone != nil }.count == 1, "round \(round)")
            #expect(try await home.stored() == SettingTree(["a": .integer(1), "b": .integer(1)]))
            try await stores.0.close()
            try await stores.1.close()
        }
    }

    @Test("Confirming and taking back race, and one of them wins", arguments: HistoryPlace.Kind.allCases)
    func racing(_ kind: HistoryPlace.Kind) async throws {
        for round in 1...25 {
            let home = try HistoryPlace(kind)
            let stores = (try await home.open(), try await home.open())
            try await stores.0.commit(confirmWithin: Self.length) { try set(2, in: stores.0) }
            async let confirmed = (try? await stores.0.unconfirmed.confirm()) != nil
            async let reverted = (try? await stores.1.unconfirmed.revert()) != nil
            let won = (await confirmed, await reverted)
            #expect(won.0 != won.1, "round \(round)")
            let tree = try await home.stored()
            #expect(tree == (won.0 ? SettingTree(["a": .integer(2), "b": .integer(2)]) : SettingTree()))
            try await stores.0.close()
            try await stores.1.close()
        }
    }

    @Test("Another process's later write is kept", arguments: HistoryPlace.Kind.allCases)
    func writtenByOthers(_ kind: HistoryPlace.Kind) async throws {
        let home = try HistoryPlace(kind)
        let stores = (try await home.open(), try await home.open())
        try await stores.0.commit(confirmWithin: Self.length) { try set(2, in: stores.0) }
        try await stores.1.commit { try stores.1.keys.setValue(9, forKey: "b") }
        await home.clock.sleepers(atLeast: 1)
        home.clock.advance(by: Self.length)
        try await settled(stores.0)
        try await stores.0.flush()
        #expect(try await home.stored() == SettingTree(["b": .integer(9)]))
    }

    // MARK: Failures of the storage

    private func open(_ storage: any Storage, _ clock: ManualClock) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: storage, configuration: .init(retryDelay: .seconds(1) ... .seconds(4), clock: clock))
    }

    @Test("A commit that was surely not stored leaves no record") func notStored() async throws {
        let (storage, clock) = (FailingStorage(), ManualClock())
        let store = try await open(storage, clock)
        try await store.commit(confirmWithin: Self.length) { try set(1, in: store) }
        let first = try #require(store.unconfirmed.change)
        storage.fail(.append, with: StorageError(.noSpace, "There is no room."))
        await #expect(throws: SettingsError.self) {
            try await store.commit(author: "bob", confirmWithin: .seconds(900)) { try set(2, in: store) }
        }
        #expect(store.unconfirmed.change == first && store.keys.effectiveValues["a"] == .integer(1))
        // Confirming is not stored either, and not believed.
        await #expect(throws: SettingsError.self) { try await store.unconfirmed.confirm() }
        #expect(store.unconfirmed.change == first)
        storage.heal()
        try await store.flush()
        #expect(store.unconfirmed.change == first)
        try await store.unconfirmed.revert()
        #expect(store.keys.effectiveValues["a"] == nil)
    }

    @Test("A lost answer leaves the values and the record together") func lostAnswer() async throws {
        let (memory, clock) = (InMemoryStorage(), ManualClock())
        let storage = FailingStorage(memory)
        let store = try await open(storage, clock)
        let lost = StorageError(.unavailable, "The answer was lost.", isOutcomeUnknown: true)
        storage.fail(.append, with: lost, count: 2)
        await #expect(throws: SettingsError.self) {
            try await store.commit(confirmWithin: Self.length) { try set(2, in: store) }
        }
        #expect(store.keys.effectiveValues["a"] == .integer(2) && store.unconfirmed.change != nil)
        storage.heal()
        try await store.flush()
        #expect(memory.tree["a"] == .integer(2) && memory.tree[UnconfirmedCommit.key] != nil)
        try await store.unconfirmed.revert()
        #expect(memory.tree == SettingTree())
    }

    @Test("A revert that fails is reported once, and tried again until it is stored") func revertFails() async throws {
        let (memory, clock) = (InMemoryStorage(), ManualClock())
        let storage = FailingStorage(memory)
        let store = try await open(storage, clock)
        let issues = ChangeRecorder(store.issues)
        try await store.commit(confirmWithin: Self.length) { try set(2, in: store) }
        await clock.sleepers(atLeast: 1)
        storage.fail(.lock, with: StorageError(.unavailable, "There is no connection."))
        clock.advance(by: Self.length)
        let issue = await issues.next()
        #expect(issue.map { "\($0)".contains("could not be reverted yet") } == true)
        for _ in 1...3 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(5))
        }
        #expect(store.unconfirmed.change?.remaining == .zero && memory.tree["a"] == .integer(2))
        storage.heal()
        // Confirming does not help any more, whether or not it comes before the next try.
        let error = await #expect(throws: SettingsError.self) { try await store.unconfirmed.confirm() }
        #expect(error?.code == .nothingUnconfirmed)
        try await eventually("nothing is unconfirmed", advancing: clock, by: .seconds(5)) {
            store.unconfirmed.change == nil
        }
        try await store.flush()
        #expect(memory.tree == SettingTree())
        try await store.close()
        let told = await issues.untilEnd().filter { "\($0)".contains("could not be reverted yet") }
        #expect(told.count == 1)
    }

    @Test("A store opens although the revert fails, and reports it") func openingFails() async throws {
        let (memory, clock) = (InMemoryStorage(), ManualClock())
        let first = try await open(InMemoryStorage(sharing: memory), clock)
        try await first.commit(confirmWithin: Self.length) { try set(2, in: first) }
        try await first.close()
        clock.advance(by: Self.length)
        let storage = FailingStorage(InMemoryStorage(sharing: memory))
        storage.fail(.lock, with: StorageError(.unavailable, "There is no connection."))
        let store = try await open(storage, clock)
        #expect(store.unconfirmed.change?.remaining == .zero)
        storage.heal()
        try await eventually("nothing is unconfirmed", advancing: clock, by: .seconds(5)) {
            store.unconfirmed.change == nil
        }
        #expect(store.keys.effectiveValues["a"] == nil)
    }

    @Test("Where nothing can be locked, a conflict runs the decision again") func withoutLock() async throws {
        let (memory, clock) = (InMemoryStorage(), ManualClock())
        let stores = (
            try await open(UnlockableStorage(InMemoryStorage(sharing: memory)), clock),
            try await open(UnlockableStorage(InMemoryStorage(sharing: memory)), clock)
        )
        for round in 1...25 {
            try await stores.0.commit { try set(1, in: stores.0) }
            try await stores.0.commit(confirmWithin: Self.length) { try set(2, in: stores.0) }
            async let first = (try? await stores.0.unconfirmed.revert()) != nil
            async let second = (try? await stores.1.unconfirmed.revert()) != nil
            let won = (await first, await second)
            #expect(won.0 != won.1, "round \(round)")
            #expect(memory.tree == SettingTree(["a": .integer(1), "b": .integer(1)]), "round \(round)")
        }
    }

    @Test("A storage with limits gets the record in the batch of its values") func limits() async throws {
        let memory = InMemoryStorage()
        let failing = FailingStorage(memory)
        let storage = LimitedBatches(failing)
        let store = try await open(storage, ManualClock())
        for number in 1...5 { try store.keys.setValue(number, forKey: "A\(number)") }
        try await store.commit(confirmWithin: Self.length) { try set(2, in: store) }
        for number in 1...5 { try store.keys.setValue(number + 1, forKey: "A\(number)") }
        try await store.unconfirmed.revert()
        let batches = storage.batches.withLock { $0 }
        for batch in batches where batch.values[UnconfirmedCommit.key] != nil {
            #expect(batch.values["a"] != nil && batch.values["b"] != nil)
        }
        #expect(batches.filter { $0.values[UnconfirmedCommit.key] != nil }.count == 2)
        #expect(memory.tree["a"] == nil && memory.tree[UnconfirmedCommit.key] == nil)
        // In a group with another commit, there is too much for one batch.
        for round in 1...10 {
            let hold = failing.hold(.append)
            let first = Task.immediate { try await store.commit { try store.keys.setValue(-round, forKey: "A5") } }
            await hold.waitUntilReached()
            // Both wait behind the append.
            let commits = (0...1).map { number in
                Task.immediate {
                    if number == round % 2 {
                        try await store.commit {
                            for number in 1...2 { try store.keys.setValue(-round, forKey: "A\(number)") }
                        }
                    } else {
                        try await store.commit(confirmWithin: Self.length) { try set(-round, in: store) }
                    }
                }
            }
            hold.release()
            for commit in [first] + commits { try await commit.value }
        }
        for batch in storage.batches.withLock({ $0 }) where batch.values[UnconfirmedCommit.key] != nil {
            #expect(batch.values["a"] != nil && batch.values["b"] != nil)
        }
        try await store.unconfirmed.revert()
        let error = await #expect(throws: SettingsError.self) {
            try await store.commit(confirmWithin: Self.length) {
                for number in 1...3 { try store.keys.setValue(-number, forKey: "A\(number)") }
            }
        }
        #expect(error?.code == .tooManyKeys && store.unconfirmed.change == nil)
    }
}

/// A storage that can't be locked.
private final class UnlockableStorage: StorageWrapper {
    let base: any Storage

    init(_ base: any Storage) { self.base = base }

    func lockForTransaction() async throws(StorageError) -> StorageLease? { nil }
}

/// A storage that takes three keys at once.
private final class LimitedBatches: StorageWrapper {
    let base: any Storage
    let batches = LockedValue<[StorageBatch]>([])

    init(_ base: any Storage) { self.base = base }

    var limits: StorageLimits { StorageLimits(keys: 3) }

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        let receipt = try await base.append(batch, durability: durability)
        batches.withLock { $0.append(batch) }
        return receipt
    }
}

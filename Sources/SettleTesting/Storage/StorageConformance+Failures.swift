import Settle

/// The state that failures must leave behind.
extension StorageConformance {
    var faultChecks: [Check] {
        [
            Check(promise: "After a failed append, the storage has the old values", run: keepsOldValues),
            Check(promise: "A failed batch can be appended again", run: appendsAgain),
            Check(promise: "A failed batch can be appended merged with a later one", run: appendsMerged),
            Check(
                promise: "After a failed load, nothing is written until one succeeds",
                run: writesNothingAfterAFailedLoad),
            Check(
                promise: "A batch whose answer was lost is stored once when it is appended again",
                run: storesLostBatchOnce),
            Check(
                promise: "Without a lock for transactions, a batch whose answer was lost is reported if it was stored",
                run: tellsLostBatch),
            Check(promise: "An append that is cancelled ends, and says whether it is stored", run: endsCancelledAppend),
        ]
    }

    private func keepsOldValues(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage, .synced)
        let failed = batch(2, ["a": .integer(2), "b": .integer(2)])
        let error = try await failAppend(of: failed, to: storage)
        await storage.close()
        try await heal(storage)
        let again = try await reopened(number, storage)
        let found = try await again.load().tree.root
        await again.close()
        // An honest “unknown” may have stored all of it.
        let isNew = error.isOutcomeUnknown && found == ["a": .integer(2), "b": .integer(2)]
        guard found != ["a": .integer(1)], !isNew else { return }
        throw Mismatch("it has \(found)")
    }

    private func appendsAgain(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1), "c": .integer(1)], to: storage, .synced)
        let failed = batch(2, ["a": .integer(2), "b": .integer(2)])
        _ = try await failAppend(of: failed, to: storage)
        try await heal(storage)
        _ = try await storage.append(failed, durability: .synced)
        try await expectAfterReopening(
            storage, number, ["a": .integer(2), "b": .integer(2), "c": .integer(1)])
    }

    private func appendsMerged(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1), "c": .integer(1)], to: storage, .synced)
        let failed = batch(2, ["a": .integer(2), "b": .integer(2)])
        _ = try await failAppend(of: failed, to: storage)
        try await heal(storage)
        try await append(["a": nil, "b": .integer(3)], to: storage, .synced, revision: 3)
        try await expectAfterReopening(storage, number, ["b": .integer(3), "c": .integer(1)])
    }

    private func writesNothingAfterAFailedLoad(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage, .synced)
        await storage.close()
        let again = try await reopened(number, storage)
        try await produce(.loads, in: again)
        try await expectError(of: "the load") { _ = try await again.load() }
        try await heal(again)
        try await expectError(of: "an append after a failed load") {
            try await append(["a": .integer(2)], to: again)
        }
        try await expect(again, toHave: ["a": .integer(1)])
        try await append(["a": .integer(3)], to: again)
        try await expectAfterReopening(again, number, ["a": .integer(3)])
    }

    private func storesLostBatchOnce(_ number: Int) async throws {
        let storage = try await opened(number)
        let position = try await append(["a": .integer(0)], to: storage, .synced).position
        try await produce(.answers, in: storage)
        // The condition no longer holds when the batch is repeated.
        let lost = batch(2, ["a": .integer(1), "b": .integer(1)], makeOther == nil ? [] : [.at(position)])
        let error = try await expectError(of: "the append whose answer is lost") {
            _ = try await storage.append(lost, durability: .synced)
        }
        guard error.isOutcomeUnknown else { throw Mismatch("it claims to be sure: \(error)") }
        try await heal(storage)
        var expected: SettingValue.Entries = ["a": .integer(1), "b": .integer(1)]
        if let makeOther {
            // A newer value stored meanwhile must not be lost to the repetition.
            let other = Opened(try await makeOther(number, storage.base))
            _ = try await other.load()
            try await append(["a": .integer(2)], to: other, .synced)
            expected["a"] = .integer(2)
            await other.close()
        }
        _ = try await storage.append(lost, durability: .synced)
        try await expectAfterReopening(storage, number, expected)
    }

    private func tellsLostBatch(_ number: Int) async throws {
        let storage = try await opened(number)
        let receipt = try await storage.append(batch(1, ["a": .integer(0)]), durability: .synced)
        guard makeOther != nil || storage.isShared else {
            await storage.close()
            throw LeftOut("it is no `SharedStorage`")
        }
        if let lease = try await storage.lockForTransaction() {
            await storage.unlock(lease)
            await storage.close()
            throw LeftOut("it has a lock for transactions")
        }
        try await produce(.answers, in: storage)
        let lost = batch(2, ["a": .integer(1), "b": .integer(1)])
        try await expectError(of: "the append whose answer is lost") {
            _ = try await storage.append(lost, durability: .synced)
        }
        try await heal(storage)
        // The store gives up its values, and appends something else.
        _ = try await storage.append(batch(3, ["c": .integer(3)]), durability: .synced)
        let seen = try await storage.changes(after: receipt.position).changes
        let stored = try await tree(of: storage, number)
        guard stored["b"] == .integer(1) else {
            guard seen.isEmpty else { throw Mismatch("it reports \(seen), which is not stored") }
            return
        }
        guard seen.count == 1, seen.first?.batch == storage.signed(lost).id, seen.first?.content == .values(lost.values)
        else {
            throw Mismatch("it reports \(seen) for a batch that was stored")
        }
    }

    private func endsCancelledAppend(_ number: Int) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage, .synced)
        guard storage.limits.time != nil else {
            await storage.close()
            throw LeftOut("its limits have no time")
        }
        try await produce(.silence, in: storage)
        let cancelled = batch(2, ["a": .integer(2)])
        let append = Task { try await storage.append(cancelled, durability: .synced) }
        for _ in 0..<200 { await Task.yield() }
        append.cancel()
        let hasEnded = WatchedValue(false)
        Task {
            _ = await append.result
            hasEnded.update { $0 = true }
        }
        let isInTime = await withinPatience { _ = await hasEnded.value { $0 } }
        try await heal(storage)
        guard isInTime else { throw Mismatch("it had not ended after \(patience)") }
        if case .failure(let error as StorageError) = await append.result, !error.isOutcomeUnknown {
            try await expect(storage, toHave: ["a": .integer(1)])
        }
        _ = try await storage.append(cancelled, durability: .synced)
        try await expectAfterReopening(storage, number, ["a": .integer(2)])
    }

    /// Returns the values of the storage after reopening it.
    private func tree(of storage: Opened, _ number: Int) async throws -> SettingValue.Entries {
        await storage.close()
        let again = try await reopened(number, storage)
        let found = try await again.load().tree.root
        await again.close()
        return found
    }

    private func failAppend(of batch: StorageBatch, to storage: Opened) async throws -> StorageError {
        try await produce(.appends, in: storage)
        return try await expectError(of: "the append that was to fail") {
            _ = try await storage.append(batch, durability: .synced)
        }
    }
}

import Settle

/// What failures must leave behind.
extension StorageConformance {
    func faultChecks(_ setFault: @escaping SetFault) -> [Check] {
        [
            Check(promise: "After a failed append the old values are there") {
                try await keepsOldValues($0, setFault)
            },
            Check(promise: "A failed batch can be appended again") { try await appendsAgain($0, setFault) },
            Check(promise: "A failed batch can be appended merged with a later one") {
                try await appendsMerged($0, setFault)
            },
            Check(promise: "After a failed load nothing is written until one succeeds") {
                try await writesNothingAfterAFailedLoad($0, setFault)
            },
            Check(promise: "A batch whose answer was lost is stored once when it is appended again") {
                try await storesLostBatchOnce($0, setFault)
            },
            Check(promise: "Without a lock for transactions, a batch whose answer was lost is told if it was stored") {
                try await tellsLostBatch($0, setFault)
            },
        ]
    }

    private func keepsOldValues(_ number: Int, _ setFault: SetFault) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage, .synced)
        let failed = batch(2, ["a": .integer(2), "b": .integer(2)])
        guard let error = try await failAppend(of: failed, to: storage, setFault) else { return }
        await storage.close()
        _ = try await setFault(storage, nil)
        let again = try await reopen(number, storage)
        let found = try await again.load().tree.root
        await again.close()
        // An honest “unknown” may have stored all of it.
        let isNew = error.isOutcomeUnknown && found == ["a": .integer(2), "b": .integer(2)]
        guard found != ["a": .integer(1)], !isNew else { return }
        throw Mismatch("it has \(found)")
    }

    private func appendsAgain(_ number: Int, _ setFault: SetFault) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1), "c": .integer(1)], to: storage, .synced)
        let failed = batch(2, ["a": .integer(2), "b": .integer(2)])
        guard try await failAppend(of: failed, to: storage, setFault) != nil else { return }
        _ = try await setFault(storage, nil)
        _ = try await storage.append(failed, durability: .synced)
        try await expectAfterReopening(
            storage, number, ["a": .integer(2), "b": .integer(2), "c": .integer(1)])
    }

    private func appendsMerged(_ number: Int, _ setFault: SetFault) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1), "c": .integer(1)], to: storage, .synced)
        let failed = batch(2, ["a": .integer(2), "b": .integer(2)])
        guard try await failAppend(of: failed, to: storage, setFault) != nil else { return }
        _ = try await setFault(storage, nil)
        try await append(["a": nil, "b": .integer(3)], to: storage, .synced, revision: 3)
        try await expectAfterReopening(storage, number, ["b": .integer(3), "c": .integer(1)])
    }

    private func writesNothingAfterAFailedLoad(_ number: Int, _ setFault: SetFault) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(1)], to: storage, .synced)
        await storage.close()
        let again = try await reopen(number, storage)
        guard try await setFault(again, .loads) else { return await again.close() }
        try await expectError(of: "the load") { _ = try await again.load() }
        _ = try await setFault(again, nil)
        try await expectError(of: "an append after a failed load") {
            try await append(["a": .integer(2)], to: again)
        }
        try await expect(again, toHave: ["a": .integer(1)])
        try await append(["a": .integer(3)], to: again)
        try await expectAfterReopening(again, number, ["a": .integer(3)])
    }

    private func storesLostBatchOnce(_ number: Int, _ setFault: SetFault) async throws {
        let storage = try await opened(number)
        try await append(["a": .integer(0)], to: storage, .synced)
        guard try await setFault(storage, .answers) else { return await storage.close() }
        let lost = batch(2, ["a": .integer(1), "b": .integer(1)])
        let error = try await expectError(of: "the append whose answer is lost") {
            _ = try await storage.append(lost, durability: .synced)
        }
        guard error.isOutcomeUnknown else { throw Mismatch("it claims to be sure: \(error)") }
        _ = try await setFault(storage, nil)
        var expected: SettingValue.Entries = ["a": .integer(1), "b": .integer(1)]
        if let makeOther {
            // Whoever has stored a newer value meanwhile must not lose it to the repetition.
            let other = try await makeOther(number, storage)
            _ = try await other.load()
            try await append(["a": .integer(2)], to: other, .synced)
            expected["a"] = .integer(2)
            await other.close()
        }
        _ = try await storage.append(lost, durability: .synced)
        try await expectAfterReopening(storage, number, expected)
    }

    private func tellsLostBatch(_ number: Int, _ setFault: SetFault) async throws {
        let storage = try await opened(number)
        let receipt = try await storage.append(batch(1, ["a": .integer(0)]), durability: .synced)
        // What wraps a storage does not know what that has stored.
        guard let shared = storage as? any SharedStorage, !(storage is any StorageWrapper),
            try await isWithoutLock(shared), try await setFault(storage, .answers)
        else { return await storage.close() }
        let lost = batch(2, ["a": .integer(1), "b": .integer(1)])
        try await expectError(of: "the append whose answer is lost") {
            _ = try await storage.append(lost, durability: .synced)
        }
        _ = try await setFault(storage, nil)
        // The store gives its values up, and appends something else.
        _ = try await storage.append(batch(3, ["c": .integer(3)]), durability: .synced)
        let told = try await shared.changes(after: receipt.position).changes
        let stored = try await tree(of: storage, number)
        guard stored["b"] == .integer(1) else {
            guard told.isEmpty else { throw Mismatch("it tells \(told), which is not stored") }
            return
        }
        guard told.count == 1, told.first?.batch == lost.id, told.first?.content == .values(lost.values) else {
            throw Mismatch("it tells \(told) of a batch that was stored")
        }
    }

    private func isWithoutLock(_ storage: any SharedStorage) async throws -> Bool {
        guard let lease = try await storage.lockForTransaction() else { return true }
        await storage.unlock(lease)
        return false
    }

    /// What the storage has after it has been opened again.
    private func tree(of storage: any Storage, _ number: Int) async throws -> SettingValue.Entries {
        await storage.close()
        let again = try await reopen(number, storage)
        let found = try await again.load().tree.root
        await again.close()
        return found
    }

    /// - Returns: `nil` if the fault can't be produced.
    private func failAppend(
        of batch: StorageBatch, to storage: any Storage, _ setFault: SetFault
    ) async throws -> StorageError? {
        guard try await setFault(storage, .appends) else {
            await storage.close()
            return nil
        }
        return try await expectError(of: "the append that was to fail") {
            _ = try await storage.append(batch, durability: .synced)
        }
    }
}

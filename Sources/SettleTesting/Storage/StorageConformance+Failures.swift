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

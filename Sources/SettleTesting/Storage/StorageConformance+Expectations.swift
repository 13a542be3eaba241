import Settle

extension StorageConformance {
    /// The result that a check found instead of the expected one.
    struct Mismatch: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    func batch(
        _ revision: UInt64, _ values: [SettingKey: SettingValue?], _ conditions: [StorageBatch.Condition] = []
    ) -> StorageBatch {
        StorageBatch(revision: revision, values: values, conditions: conditions)
    }

    @discardableResult
    func append(
        _ values: [SettingKey: SettingValue?], to storage: Opened, _ durability: StorageDurability = .buffered,
        revision: UInt64 = 2
    ) async throws -> StorageReceipt {
        try await storage.append(batch(revision, values), durability: durability)
    }

    /// Appends the batches in order and compares the stored values with the expected ones: immediately, and after
    /// closing and reopening.
    func check(
        _ number: Int, _ batches: [[SettingKey: SettingValue?]], resultIn expected: SettingValue.Entries
    ) async throws {
        let storage = try await opened(number)
        for (index, values) in batches.enumerated() {
            try await append(values, to: storage, revision: UInt64(index + 1))
        }
        try await expect(storage, toHave: expected)
        try await expectAfterReopening(storage, number, expected)
    }

    /// Closes a storage, and expects another storage of the same data to load some values.
    func expectAfterReopening(_ storage: Opened, _ number: Int, _ expected: SettingValue.Entries) async throws {
        await storage.close()
        let again = try await reopened(number, storage)
        try await expect(again, toHave: expected)
        await again.close()
    }

    /// Loads a storage, and expects some values.
    func expect(_ storage: Opened, toHave expected: SettingValue.Entries) async throws {
        let found = try await storage.load()
        guard found.tree.root != expected || found.outcome != .intact else { return }
        throw Mismatch("expected \(expected); found \(found.outcome), \(found.tree.root)")
    }

    /// Expects a call to throw, with one of these codes if any are given.
    @discardableResult
    func expectError(
        _ codes: StorageError.Code..., of name: String, _ call: () async throws -> Void
    ) async throws -> StorageError {
        do {
            try await call()
        } catch let error as StorageError {
            guard codes.isEmpty || codes.contains(error.code) else {
                throw Mismatch("\(name) threw “\(error.code)” instead of “\(codes[0])”: \(error)")
            }
            return error
        }
        throw Mismatch("\(name) did not throw")
    }
}

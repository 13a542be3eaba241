import Settle

extension StorageConformance {
    /// What a check found in place of what it expected.
    struct Mismatch: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// A new storage, loaded and ready for appends.
    func opened(_ number: Int) throws -> any Storage {
        let storage = try makeStorage(number)
        _ = try storage.load()
        return storage
    }

    func batch(_ revision: UInt64, _ values: [SettingKey: SettingValue?]) -> StorageBatch {
        StorageBatch(revision: revision, values: values)
    }

    func intact(_ root: SettingValue.Entries) -> StorageContents {
        StorageContents(tree: SettingTree(root), outcome: .intact)
    }

    /// Appends the batches in order and compares what is stored with what is expected: immediately, and after closing
    /// and reopening.
    func check(
        _ number: Int, _ batches: [[SettingKey: SettingValue?]], resultIn expected: SettingValue.Entries
    ) throws {
        let storage = try opened(number)
        for (index, values) in batches.enumerated() {
            try storage.append(batch(UInt64(index + 1), values), durability: .buffered)
        }
        try expect(storage.load(), intact(expected))
        storage.close()
        let again = try reopen(number, storage)
        defer { again.close() }
        try expect(again.load(), intact(expected))
    }

    func expect(_ found: StorageContents, _ expected: StorageContents) throws {
        guard found != expected else { return }
        throw Mismatch(
            "expected \(expected.outcome), \(expected.tree.root); found \(found.outcome), \(found.tree.root)")
    }

    func expectClosed(_ name: String, _ call: () throws(StorageError) -> Void) throws {
        do {
            try call()
        } catch {
            guard error.code != .closed else { return }
            throw Mismatch("\(name) threw another error: \(error)")
        }
        throw Mismatch("\(name) did not throw")
    }
}

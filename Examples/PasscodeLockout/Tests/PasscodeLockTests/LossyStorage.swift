import Settle

/// A storage that has lost something, as its outcome says.
struct LossyStorage: Storage {
    private let storage: InMemoryStorage
    private let outcome: StorageContents.Outcome

    init(_ storage: InMemoryStorage, _ outcome: StorageContents.Outcome) {
        self.storage = storage
        self.outcome = outcome
    }

    func load() throws(StorageError) -> StorageContents {
        StorageContents(tree: try storage.load().tree, outcome: outcome)
    }

    func append(_ batch: StorageBatch, durability: StorageDurability) throws(StorageError) {
        try storage.append(batch, durability: durability)
    }

    func close() {
        storage.close()
    }
}

extension Sequence {
    /// One after the other.
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

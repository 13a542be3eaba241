import Settle
import SettleTesting

/// A storage that reports a loss.
struct LossyStorage: StorageWrapper {
    let base: any Storage
    private let outcome: StorageContents.Outcome

    init(_ storage: InMemoryStorage, _ outcome: StorageContents.Outcome) {
        base = storage
        self.outcome = outcome
    }

    func load() async throws(StorageError) -> StorageContents {
        var contents = try await base.load()
        contents.outcome = outcome
        return contents
    }
}

extension Sequence {
    /// Transforms the elements one after the other.
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

import Settle
import Synchronization

/// Counts what a source reports, and loads it until it has what a test waits for.
final class ReportedChanges: Sendable {
    private let reports: AsyncStream<Void>
    private let report: AsyncStream<Void>.Continuation
    private let counter = Atomic(0)
    private let source: any DomainSource

    init(of source: any DomainSource) {
        self.source = source
        (reports, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        source.watch { [report, self] in
            counter.add(1, ordering: .relaxed)
            report.yield()
        }
    }

    var count: Int { counter.load(ordering: .relaxed) }

    /// Loads after each report until a load meets a condition, given its contents or its error.
    @discardableResult
    func load(
        until condition: (Result<DomainContents, StorageError>) -> Bool
    ) async -> Result<DomainContents, StorageError> {
        var found = await result()
        var iterator = reports.makeAsyncIterator()
        while !condition(found) {
            guard await iterator.next() != nil else { break }
            found = await result()
        }
        return found
    }

    @discardableResult
    func load(untilIt has: @escaping (SettingTree) -> Bool) async throws -> DomainContents {
        try await load { result in (try? result.get()).map { has($0.tree) } ?? false }.get()
    }

    func loadUntilItFails() async -> StorageError? {
        let result = await load { if case .failure = $0 { true } else { false } }
        if case .failure(let error) = result { return error }
        return nil
    }

    private func result() async -> Result<DomainContents, StorageError> {
        do throws(StorageError) {
            return .success(try await source.load())
        } catch {
            return .failure(error)
        }
    }
}

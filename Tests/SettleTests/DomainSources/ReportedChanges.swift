import Settle
import Synchronization

/// Counts what a source reports, and loads it until it has what a test waits for.
final class ReportedChanges: Sendable {
    private let reports: AsyncStream<Void>
    private let report: AsyncStream<Void>.Continuation
    private let counter = Atomic(0)
    /// How many reports there had been when a load last had what a test waited for.
    private let handled = Atomic(0)
    private let source: any DomainSource

    init(of source: any DomainSource) {
        self.source = source
        (reports, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        source.watch { [report, self] in
            counter.add(1, ordering: .relaxed)
            report.yield()
        }
        handled.store(count, ordering: .relaxed)
    }

    var count: Int { counter.load(ordering: .relaxed) }

    /// Loads after each new report until a load meets a condition, given its contents or its error.
    @discardableResult
    func load(
        until condition: (Result<DomainContents, StorageError>) -> Bool
    ) async -> Result<DomainContents, StorageError> {
        var iterator = reports.makeAsyncIterator()
        while true {
            let reported = count
            if reported > handled.load(ordering: .relaxed) {
                let found = await result()
                if condition(found) {
                    handled.store(reported, ordering: .relaxed)
                    return found
                }
            }
            guard await iterator.next() != nil else { return await result() }
        }
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

import Settle
import SettleTesting
import Synchronization
import Testing

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

    /// Expects that a check every 30 s of a clock that has not moved yet finds a change without an event, and that it is
    /// reported once.
    func expectChecks(
        on clock: ManualClock, of change: () throws -> Void, untilIt has: @escaping (SettingTree) -> Bool
    ) async throws {
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(30))
        await clock.deadlines { $0 == [.init(sinceStart: .seconds(60))] }
        #expect(count == 1)
        try change()
        clock.advance(by: .seconds(30))
        await clock.deadlines { $0 == [.init(sinceStart: .seconds(90))] }
        #expect(count == 2)
        try await load(untilIt: has)
        clock.advance(by: .seconds(30))
        await clock.deadlines { $0 == [.init(sinceStart: .seconds(120))] }
        #expect(count == 2)
    }

    private func result() async -> Result<DomainContents, StorageError> {
        do throws(StorageError) {
            return .success(try await source.load())
        } catch {
            return .failure(error)
        }
    }
}

import SettleTesting
import Testing

@testable import Settle

/// Requests that have come one after the other while the persister was at work.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct AcceptedTogetherTests {
    private enum Event: Equatable { case prepared, ran }

    @Test("Of many commits, so many run together that other writers need not wait for all of them")
    func limit() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let core = store.core
        let hold = failing.hold(.append)
        settings.name = "held"
        await hold.waitUntilReached()
        let events = LockedValue<[Event]>([])
        let (most, rest) = (WorkQueue.mostTogether, 3)
        // Each runs until it waits, so all have arrived when the append is released.
        let commits = (0..<most + rest).map { _ in
            Task.immediate {
                try await core.persister.commit(
                    in: core, preparing: { _ in events.withLock { $0.append(.prepared) } },
                    { events.withLock { $0.append(.ran) } })
            }
        }
        hold.release()
        for commit in commits { try await commit.value }
        // All that run under one turn of the writer's lock are prepared before the first of them runs.
        let turns = [most, rest].flatMap { count in
            Array(repeating: Event.prepared, count: count) + Array(repeating: Event.ran, count: count)
        }
        #expect(events.withLock { $0 } == turns)
        try await store.close()
    }

    @Test("A commit that is cancelled while an earlier one of them runs never runs, and the others do")
    func cancelled() async throws {
        let (store, _, failing, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(CounterSettings.self)
        let hold = failing.hold(.append)
        settings.name = "held"
        await hold.waitUntilReached()
        let second = LockedValue<Task<Void, any Error>?>(nil)
        let commits = (0..<3).map { index in
            Task.immediate {
                try await settings.commit {
                    settings.list.append(index)
                    if index == 0 { second.withLock { $0 }?.cancel() }
                }
            }
        }
        second.withLock { $0 = commits[1] }
        hold.release()
        await #expect(throws: CancellationError.self) { try await commits[1].value }
        for commit in [commits[0], commits[2]] { try await commit.value }
        #expect(settings.list == [0, 2])
        try await store.close()
    }
}

import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct DomainFollowerTests {
    /// A source that reports only what a test says.
    private final class QuietSource: DomainSource {
        private let changed = LockedValue<(@Sendable () -> Void)?>(nil)
        private let loads = LockedValue(0)

        var loadCount: Int { loads.withLock { $0 } }
        func report() { changed.withLock { $0 }?() }
        func load() throws(StorageError) -> DomainContents {
            loads.withLock { $0 += 1 }
            return DomainContents()
        }
        func watch(_ changed: @escaping @Sendable () -> Void) { self.changed.withLock { $0 = changed } }
        func place(of key: SettingKey) -> String { "a quiet source" }
    }

    /// A source whose changes are a sequence.
    private final class SequenceSource: AsyncDomainSource {
        struct Seen: Sendable {
            /// The executors that the tasks of the two functions prefer.
            var following: UnownedTaskExecutor?
            var loading: UnownedTaskExecutor?
            var hasEnded = false
        }

        private let changes: AsyncStream<Void>
        private let signal: AsyncStream<Void>.Continuation
        private let state = LockedValue(Seen())

        init() { (changes, signal) = AsyncStream.makeStream(of: Void.self) }

        var seen: Seen { state.withLock { $0 } }
        func change() { signal.yield() }

        func load() throws(StorageError) -> DomainContents {
            let executor = Self.executor
            state.withLock { $0.loading = executor }
            return DomainContents()
        }

        func follow(_ changed: @escaping @Sendable () -> Void) async {
            let executor = Self.executor
            state.withLock { $0.following = executor }
            for await _ in changes { changed() }
            state.withLock { $0.hasEnded = true }
        }

        func place(of key: SettingKey) -> String { "a sequence" }

        private static var executor: UnownedTaskExecutor? {
            withUnsafeCurrentTask { task in task?.unownedTaskExecutor }
        }
    }

    private let source = QuietSource()
    private let deliveries = LockedValue(0)

    private func follower() -> DomainFollower {
        DomainFollower(of: source) { [deliveries] _ in deliveries.withLock { $0 += 1 } }
    }

    @Test("A source that reports nothing is loaded by a reload only, and by none after the end") func quiet() async {
        let follower = follower()
        #expect(source.loadCount == 0)
        await follower.reload()
        #expect(source.loadCount == 1)
        #expect(deliveries.withLock { $0 } == 1)
        await follower.end()
        source.report()
        await follower.reload()
        #expect(source.loadCount == 1)
    }

    @Test("Each report is followed by a load, which the end waits for") func reports() async {
        let follower = follower()
        for number in 1...20 {
            source.report()
            if number.isMultiple(of: 5) { await follower.reload() }
        }
        await follower.end()
        #expect(source.loadCount >= 4)
        #expect(deliveries.withLock { $0 } == source.loadCount)
    }

    @Test("A source with a sequence of changes is followed on the queue that loads it, until the end")
    func sequence() async throws {
        let source = SequenceSource()
        let follower = DomainFollower(of: source) { [deliveries] _ in deliveries.withLock { $0 += 1 } }
        source.change()
        try await eventually("the change is delivered") { deliveries.withLock { $0 } == 1 }
        let seen = source.seen
        #expect(seen.following != nil && seen.following == seen.loading && !seen.hasEnded)
        await follower.end()
        try await eventually("the source is no longer followed") { source.seen.hasEnded }
        source.change()
        await follower.reload()
        #expect(deliveries.withLock { $0 } == 1)
    }

    @Test("A follower that has loaded nothing ends, and so do reloads at the same time") func unused() async {
        for _ in 0..<100 {
            let follower = follower()
            async let reload: Void = follower.reload()
            await follower.end()
            await reload
        }
        #expect(deliveries.withLock { $0 } == source.loadCount)
    }
}

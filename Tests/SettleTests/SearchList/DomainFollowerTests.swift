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

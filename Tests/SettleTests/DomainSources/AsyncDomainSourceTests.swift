import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct AsyncDomainSourceTests {
    /// A source whose changes are a sequence.
    private final class Sequenced: AsyncDomainSource {
        let base = ManualDomainSource()
        private let ignoresCancellation: LockedValue<Bool>

        init(ignoringCancellation: LockedValue<Bool>) { ignoresCancellation = ignoringCancellation }

        func load() async throws(StorageError) -> DomainContents { try await base.load() }

        func follow(_ changed: @escaping @Sendable () -> Void) async {
            let (changes, signal) = AsyncStream.makeStream(of: Void.self)
            base.watch { signal.yield() }
            for await _ in changes { changed() }
            while ignoresCancellation.withLock({ $0 }) { await Task.yield() }
        }

        func place(of key: SettingKey) -> String { base.place(of: key) }
        func close() async { await base.close() }
    }

    private func check(_ ignoresCancellation: LockedValue<Bool>, patience: Duration = .seconds(10)) async throws {
        try await DomainSourceConformance.check(
            make: { _ in Sequenced(ignoringCancellation: ignoresCancellation) },
            change: { source, tree in (source as? Sequenced)?.base.set(tree) }, patience: patience)
    }

    @Test("A source with a sequence of changes keeps all promises") func conformance() async throws {
        try await check(LockedValue(false))
    }

    @Test("A source that does not end when its task is cancelled is found out") func endless() async {
        let isEndless = LockedValue(true)
        let failure = await #expect(throws: DomainSourceConformanceFailure.self) {
            try await check(isEndless, patience: .milliseconds(50))
        }
        isEndless.withLock { $0 = false }
        #expect(failure?.failures.contains { $0.contains("A source that is closed reports nothing") } == true)
    }

    @Test("A store follows such a source until it closes") func store() async throws {
        let source = Sequenced(ignoringCancellation: LockedValue(false))
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source("sequence", source), .application])
        let settings = try await store.group(LayeredGroup.self)
        var counts = settings.$count.makeAsyncIterator()
        #expect(await counts.next() == 1)
        source.base.set(SettingTree(["count": .integer(7)]))
        #expect(await counts.next() == 7)
        try await store.close()
        #expect(!source.base.isWatched)
    }
}

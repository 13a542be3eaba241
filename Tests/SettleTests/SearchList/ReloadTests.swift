import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ReloadTests {
    /// A source whose changes cause no events.
    private final class SilentSource: DomainSource {
        private let count = LockedValue<Int?>(1)

        /// - Parameter number: The value; `nil` if the source can't be read.
        func set(_ number: Int?) { count.withLock { $0 = number } }

        func load() throws(StorageError) -> DomainContents {
            guard let count = count.withLock({ $0 }) else { throw StorageError(.unavailable, "It can't be read.") }
            return DomainContents(SettingTree(["count": .integer(Int64(count))]))
        }

        func place(of key: SettingKey) -> String { "a silent source" }
    }

    /// A source that answers at first, and then when a test lets it.
    private final class SlowSource: DomainSource {
        let isSlow = LockedValue(false)
        let (loads, loading) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)

        func load() async throws(StorageError) -> DomainContents {
            guard isSlow.withLock({ $0 }) else { return DomainContents() }
            loading.yield()
            for await _ in answers {}
            return DomainContents()
        }

        func place(of key: SettingKey) -> String { "a slow source" }
    }

    private func open(
        _ source: SilentSource
    ) async throws -> (store: SettingsStore, settings: LayeredGroup) {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source("silent", source), .application])
        return (store, try await store.group(LayeredGroup.self))
    }

    @Test("A reload returns once the values of a source without events are in force") func values() async throws {
        let source = SilentSource()
        let (store, settings) = try await open(source)
        for number in 2...20 {
            source.set(number)
            #expect(settings.count == number - 1)
            try await store.reload()
            #expect(settings.count == number)
        }
        try await store.close()
    }

    @Test("Each of several reloads at once finds what was there when it began") func concurrent() async throws {
        let source = SilentSource()
        let (store, settings) = try await open(source)
        source.set(5)
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<20 {
                tasks.addTask {
                    try await store.reload()
                    return settings.count
                }
            }
            for try await count in tasks { #expect(count == 5) }
        }
        try await store.close()
    }

    @Test("A cancelled reload does not wait for a source that does not answer") func cancelled() async throws {
        let source = SlowSource()
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.source("slow", source), .application])
        source.isSlow.withLock { $0 = true }
        let reload = Task { try await store.reload() }
        for await _ in source.loads { break }
        reload.cancel()
        await #expect(throws: CancellationError.self) { try await reload.value }
        source.answer.finish()
        try await store.close()
    }

    @Test("A source that can't be read leaves its last good values, and the issue has the error") func failing()
        async throws
    {
        let source = SilentSource()
        let (store, settings) = try await open(source)
        var issues = store.issues.makeAsyncIterator()
        source.set(nil)
        try await store.reload()
        #expect(settings.count == 1)
        #expect(await issues.next()?.description.contains("It can't be read.") == true)
        source.set(3)
        try await store.reload()
        #expect(settings.count == 3)
        try await store.close()
    }

    /// Opens a store with a suite 50 times, and writes the suite's file immediately after each opening.
    private func withNewSuite(_ body: (SettingsStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let (file, suite) = (folder.appending(path: "settings.json"), folder.appending(path: "suite.json"))
            for _ in 0..<50 {
                try Data(#"{"count": 1}"#.utf8).write(to: suite, options: .atomic)
                let store = try await SettingsStore.open(
                    at: file, searching: [.application, .suite("other", at: suite)])
                try Data(#"{"count": 20}"#.utf8).write(to: suite, options: .atomic)
                try await body(store)
                try await store.close()
            }
        }
    }

    @Test("A reload right after an opening reads the domains in files too") func rightAfterOpening() async throws {
        try await withNewSuite { store in
            try await store.reload()
            #expect(store.keys.effectiveValues["count"] == .integer(20))
        }
    }

    @Test("A suite that is removed right after an opening leaves no values") func removedAfterOpening() async throws {
        try await withNewSuite { store in
            try await store.domains.removeSuite("other")
            #expect(store.keys.effectiveValues["count"] == nil)
        }
    }

    @Test("A suite that two tasks add at once is searched once, and removed once") func addedTwice() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(LayeredGroup.self)
        // Both have found no suite, and have loaded it, before one of them adds it.
        var loaded: [LoadedDomain] = []
        for count in [20, 30] {
            let identity = DomainIdentity(.suite("other"), .suite, isAbove: false, isVolatile: false)
            let source = TestDomain(["count": count])
            loaded.append((AttachedDomain(identity, source: source), await Result(loading: source)))
        }
        for suite in loaded { try store.core.addSuite(suite) }
        #expect(store.domains.map(\.name) == [.application, .suite("other"), .declaration] && settings.count == 20)
        try await store.domains.removeSuite("other")
        #expect(store.domains.map(\.name) == [.application, .declaration] && settings.count == 1)
        try await store.close()
    }

    @Test("After a close that has failed, what domains have changed meanwhile is in force, and ended overrides are not")
    func failedClose() async throws {
        let (source, failing) = (SilentSource(), FailingStorage())
        let store = try await SettingsStore.open(
            storage: failing, searching: [.overrides, .source("silent", source), .application],
            configuration: .init(clock: ManualClock()))
        let settings = try await store.group(LayeredGroup.self)
        let ended = try store.domains.override(settings.$name, with: "ended")
        let kept = try store.domains.override(settings.inner.$level, with: 0.75)
        let hold = failing.hold(.checkpoint)
        settings.isOn = true
        let close = Task { try await store.close() }
        await hold.waitUntilReached()
        source.set(5)
        await store.core.domains.reload()
        ended.cancel()
        let error = StorageError(.noSpace, "There is no room.")
        for operation in [FailingStorage.Operation.append, .checkpoint] { failing.fail(operation, with: error) }
        hold.release()
        await #expect(throws: SettingsError.self) { try await close.value }
        #expect(settings.name == "default" && settings.inner.level == 0.75)
        try await eventually("the source's value is in force") { settings.count == 5 }
        kept.cancel()
        #expect(settings.inner.level == 0.5)
        failing.heal()
        try await store.close()
    }

    @Test("A closed store can't be reloaded") func closed() async throws {
        let (store, _) = try await open(SilentSource())
        try await store.close()
        let error = await #expect(throws: SettingsError.self) { try await store.reload() }
        #expect(error?.code == .closed)
    }
}

import Settle
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HistoryCursorTests {
    /// Returns the next change, as a loop does that has other events to wait for as well; `nil` at the end.
    private func next(_ cursor: inout HistoryCursor, _ watch: inout ContentWatch) async -> Change? {
        var isClosed = false
        while true {
            switch cursor.step() {
            case .change(let change): return change
            case .query(let query):
                let answer = await query.answer()
                if let change = cursor.accept(answer) { return change }
            case .finish: return nil
            case .wait:
                if isClosed { return nil }
                if await watch.next() == .finished { isClosed = true }
            }
        }
    }

    @Test("A watch that includes the history wakes for each transaction, also of others, and for the last one")
    func wakes() async throws {
        let storage = InMemoryStorage()
        let configuration = SettingsStore.Configuration(history: .keep())
        let store = try await SettingsStore.open(storage: storage, configuration: configuration)
        let other = try await SettingsStore.open(
            storage: InMemoryStorage(sharing: storage), configuration: configuration)
        let settings = try await store.group(CounterSettings.self)
        let others = try await other.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        var watch = ContentWatch(store, includingHistory: true)
        var cursor = store.history.cursor(after: nil)
        #expect(await next(&cursor, &watch)?.snapshot == SettingTree(["count": .integer(1)]))
        for number in 2...20 {
            let writing = number.isMultiple(of: 2) ? settings : others
            // Not awaited before the change has come: the history grows after the value has been published.
            let commit = Task { try await writing.commit { writing.count = number } }
            #expect(await next(&cursor, &watch)?.mutations.first?.newValue as? Int == number)
            try await commit.value
        }
        try await settings.commit { settings.count = 21 }
        try await store.close()
        #expect(await next(&cursor, &watch)?.mutations.first?.newValue as? Int == 21)
        #expect(await next(&cursor, &watch)?.token == nil)
        try await other.close()
    }

    @Test("A watch without the history is not woken when it grows") func withoutHistory() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        var (plain, following) = (ContentWatch(store), ContentWatch(store, includingHistory: true))
        var cursor = store.history.cursor(after: store.history.token)
        try await settings.commit { settings.count = 2 }
        #expect(await plain.next() == .changed)
        // Until the history has grown.
        #expect(await next(&cursor, &following)?.mutations.first?.newValue as? Int == 2)
        plain.interrupt()
        #expect(await plain.next() == .interrupted)
        try await store.close()
    }

    @Test("The storage is asked once for the values that a new follower begins with") func askedOnce() async throws {
        let storage = CountedChanges()
        let store = try await SettingsStore.open(
            storage: storage, configuration: SettingsStore.Configuration(history: .keep(), clock: ManualClock()))
        let settings = try await store.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        let before = storage.count.withLock { $0 }
        var changes = store.history.changes(after: nil).makeAsyncIterator()
        #expect(await changes.next()?.snapshot == SettingTree(["count": .integer(1)]))
        #expect(storage.count.withLock { $0 } == before + 1)
        try await store.close()
    }
}

/// Counts how often it is asked for changes, which it never announces.
private final class CountedChanges: StorageWrapper {
    let base: any Storage = InMemoryStorage()
    let count = LockedValue(0)

    func watch(_ handle: @escaping @Sendable (StorageEvent) -> Void) {}

    func changes(after position: StoragePosition) async throws(StorageError) -> StorageChanges {
        count.withLock { $0 += 1 }
        return try await shared?.changes(after: position) ?? StorageChanges([], position: position)
    }
}

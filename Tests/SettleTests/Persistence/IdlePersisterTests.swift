import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// What needs nothing of the storage wakes no thread for it.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct IdlePersisterTests {
    /// Runs a closure while the persister's queue is blocked.
    ///
    /// - Returns: Whether work waits for the queue then.
    private func hasWork(_ persister: Persister, after body: () async throws -> Void) async throws -> Bool {
        let gate = Gate()
        persister.executor.queue.async { gate.pass() }
        await gate.waitUntilReached()
        defer { gate.open() }
        try await body()
        return persister.works.count > 0
    }

    @Test("Opening a group asks the storage for something only if a value can't be used, or could not be before")
    func groups() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            for (text, value, isAsked) in [
                (#"{"count": 3}"#, 3, false), (#"{"count": "three"}"#, 3, true), (#"{"count": 4}"#, 4, true),
            ] {
                try Data(text.utf8).write(to: file, options: .atomic)
                let store = try await SettingsStore.open(at: file)
                try await store.flush()
                let hasWork = try await hasWork(store.core.persister) {
                    let settings = try await store.group(CounterSettings.self)
                    #expect(settings.count == value)
                }
                #expect(hasWork == isAsked, "\(text)")
                // From now on there is a journal, which has the value before an edit.
                try store.keys.setValue(text, forKey: "text")
                try await store.close()
            }
        }
    }

    @Test("A store that is released after it was closed has no more work") func closed() async throws {
        try await withTemporaryFolder { folder in
            var store: SettingsStore? = try await SettingsStore.open(at: folder.appending(path: "settings.json"))
            let persister = try #require(store?.core.persister)
            try await store?.close()
            let hasWork = try await hasWork(persister) { store = nil }
            #expect(!hasWork)
        }
    }
}

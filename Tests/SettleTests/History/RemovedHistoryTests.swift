import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// Histories whose file and journal are removed, or replaced, while a store has them open.
@Suite(.timeLimit(.minutes(10))) struct RemovedHistoryTests {
    private let fixture: FileStorageFixture

    init() throws { fixture = try FileStorageFixture() }

    /// A process: whoever gives no policy takes over what the journal says.
    private func open(_ history: HistoryPolicy = .unchanged) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: fixture.storage(), configuration: .init(history: history, clock: ManualClock()))
    }

    private func removeAll() throws {
        for name in try fixture.names() {
            try FileManager.default.removeItem(at: fixture.folder.appending(path: name))
        }
    }

    @Test(
        "A process that finds nothing and begins another journal does not end the history of those who had it open",
        arguments: [false, true])
    func begunByAnother(hasOtherWritten: Bool) async throws {
        let store = try await open(.keep())
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
        try await store.file.flush()
        try removeAll()
        let other = try await open()
        if hasOtherWritten { try await other.commit { try other.keys.setValue(5, forKey: "b") } }
        _ = try await store.entries()
        try await store.commit { try store.keys.setValue(2, forKey: "a") }
        #expect(try await store.told().first == "a: 1 → 2")
        // From then on the other process lists its changes, too, and so does one that comes later.
        try await other.commit { try other.keys.setValue(3, forKey: "a") }
        #expect(try await other.told().first == "a: 2 → 3")
        let later = try await open()
        #expect(try await later.told().prefix(2) == ["a: 2 → 3", "a: 1 → 2"])
        for store in [store, other, later] { try await store.close() }
    }

    private enum Question: CaseIterable { case entries, values, changes, undo, commit }

    /// Throws what an operation says if that is that no history is kept.
    private static func ask(_ question: Question, _ store: SettingsStore, since token: ChangeToken) async throws {
        do {
            switch question {
            case .entries: _ = try await store.entries()
            case .values: _ = try await store.history.values(at: token)
            case .changes:
                var changes = store.history.changes(after: token).makeAsyncIterator()
                _ = await changes.next()
            case .undo: _ = try await store.history.undo(token)
            case .commit: try await store.commit { try store.keys.setValue(9, forKey: "z") }
            }
        } catch let error as SettingsError {
            if error.description.contains("No history is kept") { throw error }
        }
    }

    @Test(
        "Removing the folder, also at any call, never lets the one who keeps a history hear that none is kept",
        arguments: Question.allCases)
    private func removedFolder(_ question: Question) async throws {
        for kind in [nil] + SystemCall.Kind.allCases {
            let fixture = try FileStorageFixture()
            let store = try await SettingsStore.open(
                storage: fixture.storage(), configuration: .init(history: .keep(), clock: ManualClock()))
            for value in 1...2 { try await store.commit { try store.keys.setValue(value, forKey: "a") } }
            let token = try #require(store.history.token)
            try await store.commit { try store.keys.setValue(3, forKey: "a") }
            try await store.file.flush()
            let remove: @Sendable () -> Void = { [folder = fixture.folder] in
                // The next calls say so if it is still there.
                try? FileManager.default.removeItem(at: folder)
            }
            if let kind { fixture.calls.beforeNext(kind, do: remove) } else { remove() }
            // A process that knows nothing of the history begins another journal, unless the folder is still there.
            let other = try await SettingsStore.open(
                storage: FileStorage(at: fixture.file), configuration: .init(clock: ManualClock()))
            // It fails if the folder goes meanwhile.
            try? await other.commit { try other.keys.setValue(5, forKey: "b") }
            for next in [question] + Question.allCases { try await Self.ask(next, store, since: token) }
            // The folder may have been removed just now, so that nothing can be stored.
            for store in [other, store] { try? await store.close() }
        }
    }

    @Test("A backup without a history that is put in the journal's place does not end it") func replacedByBackup()
        async throws
    {
        var store = try await open()
        try await store.commit { try store.keys.setValue(1, forKey: "a") }
        try await store.close()
        let journal = fixture.folder.appending(path: ".settings.json.journal")
        let backup = try [fixture.file, journal].map { try Data(contentsOf: $0) }
        store = try await open(.keep())
        try await store.commit { try store.keys.setValue(2, forKey: "a") }
        try removeAll()
        for (file, data) in zip([fixture.file, journal], backup) { try data.write(to: file) }
        _ = try await store.entries()
        try await store.commit { try store.keys.setValue(7, forKey: "a") }
        #expect(try await store.told().first?.hasSuffix("→ 7") == true)
        try await store.close()
    }
}

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

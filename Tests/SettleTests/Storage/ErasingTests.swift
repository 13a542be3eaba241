import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// What `eraseEarlierValues()` leaves in the files of a store.
@Suite(.timeLimit(.minutes(10))) struct ErasingTests {
    private let fixture: FileStorageFixture

    init() throws {
        fixture = try FileStorageFixture()
    }

    private func open() async throws -> (SettingsStore, CounterSettings) {
        let storage = FileStorage(at: fixture.file, calls: fixture.calls)
        let store = try await SettingsStore.open(storage: storage)
        return (store, try await store.group(CounterSettings.self))
    }

    /// The files in the folder that contain a text.
    private func files(with text: String) throws -> [String] {
        try fixture.names().filter { name in
            try Data(contentsOf: fixture.folder.appending(path: name)).range(of: Data(text.utf8)) != nil
        }
    }

    /// Leaves an earlier name in the journal and in the version before.
    private func renamed() async throws -> (SettingsStore, CounterSettings) {
        let (store, settings) = try await open()
        for name in ["first-name", "second-name", "third-name"] {
            try await settings.commit { settings.name = name }
            try await store.file.flush()
        }
        #expect(try files(with: "first-name") == [".settings.json.journal"])
        #expect(try files(with: "second-name") == [".settings.json.journal", ".settings.json.previous"])
        return (store, settings)
    }

    @Test("No file has an earlier value") func fileEarlierValue() async throws {
        let (store, settings) = try await renamed()
        try fixture.write("second-name", to: ".settings.json.0123456789abcdef.tmp")
        try await store.file.eraseEarlierValues()
        #expect(try files(with: "first-name").isEmpty && files(with: "second-name").isEmpty)
        #expect(try files(with: "third-name") == [".settings.json.journal", "settings.json"])
        try await settings.commit { settings.count = 7 }
        try await store.close()
        let (again, loaded) = try await open()
        #expect(loaded.name == "third-name" && loaded.count == 7 && again.file.loadOutcome == .intact)
    }

    @Test("What an edit has replaced goes too, and what is in force because an edit can't be used stays")
    func editReplacedGoes()
        async throws
    {
        let (store, settings) = try await renamed()
        try await settings.commit { settings.count = 3 }
        try await store.file.flush()
        // No group says whether the value of the last key can be used.
        for text in ["old-text", "new-text"] {
            try fixture.write(#"{"count": "three", "name": "fourth-name", "undeclared": "\#(text)"}"#)
            try await settings.commit {}
        }
        #expect(settings.name == "fourth-name" && settings.count == 3)
        #expect(try files(with: "old-text") == [".settings.json.journal"])
        try await store.file.eraseEarlierValues()
        for name in ["first-name", "second-name", "third-name", "old-text"] { #expect(try files(with: name).isEmpty) }
        try await store.close()
        let (again, loaded) = try await open()
        #expect(loaded.name == "fourth-name" && loaded.count == 3)
        try await again.close()
    }

    @Test("Another process goes on with its values and saves them") func anotherProcessGoes() async throws {
        let (store, settings) = try await renamed()
        let (other, others) = try await open()
        try await others.commit { others.other = 2 }
        try await store.file.eraseEarlierValues()
        try await others.commit { others.count = 5 }
        try await settings.commit { settings.other += 1 }
        try await other.file.flush()
        #expect(settings.count == 5 && settings.other == 3 && others.name == "third-name")
        #expect(try files(with: "first-name").isEmpty && files(with: "second-name").isEmpty)
        try await other.close()
        try await store.close()
    }

    @Test("Whatever call fails, it throws or has erased, and no value is lost") func callFailsThrows() async throws {
        for number in 0... {
            let fixture = try FileStorageFixture()
            let tests = ErasingTests(fixture)
            let (store, settings) = try await tests.renamed()
            fixture.calls.forget()
            fixture.calls.fail(call: number, with: .error(.inputOutput), forGood: false)
            var hasThrown = false
            do { try await store.file.eraseEarlierValues() } catch { hasThrown = true }
            let wasReached = fixture.calls.faultCount > 0
            if !hasThrown { #expect(try tests.files(with: "second-name").isEmpty, "\(number)") }
            fixture.calls.heal()
            try await store.file.eraseEarlierValues()
            #expect(try tests.files(with: "second-name").isEmpty, "\(number)")
            #expect(settings.name == "third-name")
            try await store.close()
            #expect(try fixture.freshLoad().tree["name"] == .string("third-name"), "\(number)")
            if !wasReached { return }
        }
    }

    private init(_ fixture: FileStorageFixture) { self.fixture = fixture }
}

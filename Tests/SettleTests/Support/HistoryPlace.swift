import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

/// A place with a history, which stores can be opened on, also several at a time, and again after a restart.
final class HistoryPlace: Sendable {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case memory, file

        var testDescription: String { rawValue }
    }

    let kind: Kind
    private let memory = InMemoryStorage()
    private let fixture: FileStorageFixture
    /// Saves by the debounced policies only when a test says so.
    let clock = ManualClock()

    init(_ kind: Kind = .file) throws {
        self.kind = kind
        fixture = try FileStorageFixture()
    }

    /// A storage of its own, as another process has it. Each look at the file finds what others have done.
    func storage() -> any Storage {
        switch kind {
        case .memory: InMemoryStorage(sharing: memory)
        case .file: fixture.storage()
        }
    }

    func open(
        _ history: HistoryPolicy = .keep(), migrations: [SettingsMigration]? = nil,
        searching: SearchList = [.application]
    ) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: storage(), searching: searching,
            configuration: SettingsStore.Configuration(history: history, clock: clock), migrations: migrations)
    }

    /// Writes values by hand.
    func edit(_ values: [SettingKey: SettingValue?]) throws {
        switch kind {
        case .memory: memory.simulateExternalChange(values)
        case .file:
            var person = SettingsPerson(path: FilePath(fixture.file.path))
            try person.edit(values, on: fixture.calls)
        }
    }

    /// What is stored, as a process that starts now would find it.
    func stored() async throws -> SettingTree {
        let storage = storage()
        let tree = try await storage.load().tree
        await storage.close()
        return tree
    }

    /// The files beside each other that contain a text, with `past` for the past in the journal.
    func files(with text: String) throws -> [String] {
        try JournalParts.names(fixture.names(), with: text) {
            try Data(contentsOf: fixture.folder.appending(path: $0))
        }
    }

    /// What the journal keeps of the past.
    var past: Data {
        get throws {
            JournalParts(try Data(contentsOf: fixture.folder.appending(path: ".settings.json.journal"))).past
        }
    }

    func permissions(of name: String) throws -> Int { try fixture.permissions(of: name) }

    var names: [String] { get throws { try fixture.names() } }
}

extension SettingsStore {
    /// All entries, newest first.
    func entries(of key: SettingKey? = nil, since date: Date? = nil, limit: Int? = nil) async throws -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        for try await entry in history.entries(of: key, since: date, limit: limit) { entries.append(entry) }
        return entries
    }

    /// The changes of all entries as text, newest first.
    func told(of key: SettingKey? = nil) async throws -> [String] {
        try await entries(of: key).map { $0.changes.map(\.description).joined(separator: ", ") }
    }

    /// The place of the newest transaction.
    func newest() throws -> ChangeToken { try #require(history.token) }
}

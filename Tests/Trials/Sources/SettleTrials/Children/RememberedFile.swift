import Foundation
import Settle
import TrialChecks

/// A file that keeps its history, as each process of a trial opens it.
enum RememberedFile {
    /// More than any trial makes.
    private static let history = HistoryPolicy.keep(transactions: 1_000_000, bytes: 200 << 20, for: .days(30))

    /// Opens it, and acknowledges whatever the library reports.
    static func open(
        _ place: ChildPlace, _ acknowledgements: AcknowledgementFile
    ) async throws -> SettingsStore {
        let store = try await SettingsStore.open(
            at: URL(filePath: place.file), searching: place.searching,
            configuration: SettingsStore.Configuration(history: history))
        let issues = store.issues
        Task.detached {
            for await issue in issues { acknowledgements.add("issue", text: issue.description) }
        }
        return store
    }
}

/// The settings of one of several authors.
struct AuthorSettings: SettingsGroup {
    @Setting var step = 0
    @Setting var text = ""

    static func key(ofWriter writer: Int) -> SettingKey { .path("w\(writer)") }
}

extension ReportedTransaction {
    init(_ entry: HistoryEntry) {
        self.init(
            token: entry.token.description, position: Int(entry.token.position), count: Int(entry.count),
            author: entry.author.name, program: entry.author.program, process: entry.author.process.map { Int($0) })
        for change in entry.changes { add(change.key, change.oldValue, change.newValue) }
    }

    /// - Returns: `nil` if the change has no place, or if it is unknown what it stands for.
    init?(_ change: Change) {
        guard let token = change.token, let missed = change.missed.count else {
            return nil
        }
        self.init(
            token: token.description, position: Int(token.position), count: Int(missed) + 1,
            author: change.author)
        for mutation in change.mutations { add(mutation.key, mutation.oldStoredValue, mutation.newStoredValue) }
    }

    private mutating func add(_ key: String, _ old: SettingValue?, _ new: SettingValue?) {
        if key == "total" { total = Self.number(new) }
        guard key.hasPrefix("w"), key.hasSuffix(".step") else { return }
        writer = Int(key.dropFirst().dropLast(".step".count))
        (stepBefore, step) = (Self.number(old), Self.number(new))
    }

    private static func number(_ value: SettingValue?) -> Int? {
        guard case .integer(let number)? = value else { return nil }
        return Int(number)
    }
}

import Foundation
import Settle

/// Settings that no step changes, for the ways of writing that need a declaration.
struct ShippedNotes: SettingsGroup {
    static let key = "notes.count"
    @Setting var count = 0
}

/// The ways to write.
enum ShippedWrite: CaseIterable, Sendable {
    case key, update, commit, removal, set, groupUpdate, groupCommit, draft, reset
    /// Only tried where nothing may be written.
    case plainAssignment, `import`, resetOfAll

    static let allowed: [ShippedWrite] = [
        .key, .update, .commit, .removal, .set, .groupUpdate, .groupCommit, .draft, .reset,
    ]

    /// - Returns: The key that was written; it has the value unless that is to be removed.
    func perform(
        _ number: Int, at key: String, in store: SettingsStore, _ notes: ShippedNotes
    ) async throws -> (key: String, value: ShippedValue?) {
        switch self {
        case .key: try store.keys.setValue(number, forKey: key)
        case .update: try store.update { try store.keys.setValue(number, forKey: key) }
        case .commit: try await store.commit { try store.keys.setValue(number, forKey: key) }
        case .removal:
            try store.keys.removeValue(forKey: key)
            return (key, nil)
        case .import: try store.file.import(Data("{\"\(key)\": \(number)}".utf8))
        case .resetOfAll: try store.reset()
        case .plainAssignment: notes.count = number
        case .set: try notes.$count.set(number)
        case .groupUpdate: try notes.update { notes.count = number }
        case .groupCommit: try await notes.commit { notes.count = number }
        case .draft:
            let draft = notes.draft()
            draft.count = number
            try draft.apply()
        case .reset:
            try notes.$count.reset()
            return (ShippedNotes.key, nil)
        }
        let isOfGroup = [.set, .groupUpdate, .groupCommit, .draft, .plainAssignment].contains(self)
        return (isOfGroup ? ShippedNotes.key : key, .number(number))
    }
}

import Settle
import TrialChecks

/// Acknowledges a file's history, newest first, or undoes transactions and redoes them.
struct RecallingChild: ChildRole {
    var place: ChildPlace
    /// What to undo.
    var tokens: [String] = []
    /// How many transactions to acknowledge; `nil` for all.
    var limit: Int?

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let store = try await RememberedFile.open(place, acknowledgements)
        var entries: [ChangeToken: HistoryEntry] = [:]
        for try await entry in store.history.entries(limit: limit) {
            if tokens.isEmpty { acknowledgements.add(ReportedTransaction(entry).acknowledgement) }
            entries[entry.token] = entry
        }
        for token in tokens.compactMap(ChangeToken.init) {
            guard let entry = entries[token] else { throw TrialError("The history does not contain \(token).") }
            acknowledgements.add("undo", text: try await undo(entry, in: store) ?? "")
        }
        try await store.close()
        acknowledgements.add("end")
    }

    /// - Returns: What is wrong, if anything is.
    private func undo(_ entry: HistoryEntry, in store: SettingsStore) async throws -> String? {
        let before = try await values(entry, in: store)
        // Keys that have changed since are left alone, and reported.
        let careful = try await store.history.undo(entry.token, author: "careful")
        for (change, now) in zip(entry.changes, before) {
            guard (now == change.newValue) == careful.keys.contains(change.key),
                (now != change.newValue) == careful.conflicts.contains(where: { $0.key == change.key })
            else { return "The undo of \(entry.token) is wrong about \(change.key)." }
        }
        if let token = careful.token { try await store.history.undo(token, author: "careful") }
        guard try await values(entry, in: store) == before else { return "The redo of \(entry.token) is not whole." }
        let undo = try await store.history.undo(entry.token, force: true, author: "undoer")
        guard try await values(entry, in: store) == entry.changes.map(\.oldValue) else {
            return "The undo of \(entry.token) is not whole."
        }
        guard let token = undo.token else { return nil }
        for try await newest in store.history.entries(limit: 1) {
            guard newest.token == token, newest.undone == entry.token, newest.author.name == "undoer" else {
                return "The history does not contain the undo of \(entry.token)."
            }
        }
        try await store.history.undo(token, force: true, author: "redoer")
        return try await values(entry, in: store) == before ? nil : "The redo of \(entry.token) is not whole."
    }

    /// What is stored at the keys of a transaction.
    private func values(_ entry: HistoryEntry, in store: SettingsStore) async throws -> [SettingValue?] {
        guard let token = store.history.token else { throw TrialError("The file has no history.") }
        let tree = try await store.history.values(at: token)
        return entry.changes.map { change in SettingKey(change.key).flatMap { tree[$0] } }
    }
}

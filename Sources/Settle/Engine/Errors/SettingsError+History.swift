/// Why the past can't be told, or not taken back.
extension SettingsError {
    static let storageWithoutHistory = SettingsError(
        .historyUnavailable,
        "The storage has no history. Use a storage that is a HistoryStorage, such as FileStorage, or open the store "
            + "without Configuration.history.")

    static let historyNotKept = SettingsError(
        .historyUnavailable,
        "No history is kept. Open the store with SettingsStore.Configuration(history: .keep()); what is stored from then "
            + "on is told.")

    static func historyNotChanged(_ error: StorageError) -> SettingsError {
        SettingsError(
            .historyUnavailable, "What Configuration.history says could not be put into force: \(error)",
            underlying: error)
    }

    static func anotherPast(_ token: ChangeToken) -> SettingsError {
        SettingsError(
            .historyUnavailable,
            "The token \(token) is not of this history: it belongs to another file, or to another past of this one, such "
                + "as that before a backup was restored.")
    }

    static func forgotten(_ token: ChangeToken) -> SettingsError {
        SettingsError(
            .historyUnavailable,
            "The token \(token) is not known any more: what came after it is no longer kept or was lost, or the file has "
                + "another past now.")
    }

    static func withinSum(_ token: ChangeToken) -> SettingsError {
        SettingsError(
            .historyUnavailable,
            "The token \(token) is of one of several transactions of which only the sum is known.")
    }

    static func unknownChanges(at token: ChangeToken) -> SettingsError {
        SettingsError(.historyUnavailable, "What the transaction at \(token) has changed is not known.")
    }

    /// - Parameters:
    ///   - reason: Words that complete "because …".
    ///   - rule: Words that complete "must be …".
    static func notUndoable(
        _ token: ChangeToken?, _ reason: String, key: SettingKey? = nil, rule: String? = nil
    ) -> SettingsError {
        let what = token.map { "The transaction at \($0)" } ?? "Nothing"
        return SettingsError(
            .notUndoable, "\(what) \(token == nil ? "can" : "can't") be undone: \(reason). Nothing has changed.",
            key: key?.description, rule: rule)
    }
}

/// Errors of reading and undoing the history.
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

    // MARK: Unconfirmed commits

    static let nothingUnconfirmed = SettingsError(
        .nothingUnconfirmed, "There is no unconfirmed change: it was confirmed or taken back, or there was none.")

    static let unreadableUnconfirmed = SettingsError(
        .unusableValue,
        "\(quoted(UnconfirmedCommit.key)), the record of an unconfirmed change, can't be read. The change stands and is not "
            + "taken back. Correct the record, or remove it to confirm the change.",
        key: UnconfirmedCommit.key.description)

    static func confirmedTooLate(_ commit: UnconfirmedCommit) -> SettingsError {
        SettingsError(
            .nothingUnconfirmed,
            "The change can't be confirmed any more: it was not confirmed within \(commit.length.inWords), and is taken "
                + "back.")
    }

    /// - Parameter what: Text that completes "it is …".
    static func unconfirmable(_ key: SettingKey, _ what: String, rule: String) -> SettingsError {
        SettingsError(
            .notUndoable,
            "A commit that is to be confirmed can't change \(quoted(key)): it is \(what), and must be \(rule). Commit it "
                + "without “confirmWithin”. Nothing has changed.", key: key.description, rule: rule)
    }

    /// - Parameter error: The reason why a setting could not be restored.
    static func notPutBack(_ key: SettingKey, _ error: any Error) -> SettingsError {
        SettingsError(
            .notUndoable, "\(quoted(key)) was not taken back with the unconfirmed change: \(error)",
            key: key.description, rule: (error as? SettingsError)?.rule, underlying: error)
    }

    /// - Parameter error: The reason why an unconfirmed commit could not be reverted in time.
    static func unconfirmedStands(_ error: any Error) -> SettingsError {
        SettingsError(
            (error as? SettingsError)?.code ?? .storage,
            "The unconfirmed change could not be taken back yet, and this is tried again. \(error)", underlying: error)
    }

    /// - Parameters:
    ///   - reason: Text that completes "because …".
    ///   - rule: Text that completes "must be …".
    static func notUndoable(
        _ token: ChangeToken?, _ reason: String, key: SettingKey? = nil, rule: String? = nil
    ) -> SettingsError {
        let what = token.map { "The transaction at \($0)" } ?? "Nothing"
        return SettingsError(
            .notUndoable, "\(what) \(token == nil ? "can" : "can't") be undone: \(reason). Nothing has changed.",
            key: key?.description, rule: rule)
    }
}

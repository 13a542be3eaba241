/// Errors of reading and undoing the history.
extension SettingsError {
    static let storageWithoutHistory = SettingsError(
        .historyUnavailable,
        "The storage has no history. Use a storage that is a HistoryStorage, such as FileStorage, or open the store "
            + "without Configuration.history.")

    static let historyNotKept = SettingsError(
        .historyUnavailable,
        "No history is kept. Open the store with SettingsStore.Configuration(history: .keep()); changes from then "
            + "on are recorded.")

    static func historyNotChanged(_ error: StorageError) -> SettingsError {
        SettingsError(
            .historyUnavailable, "Configuration.history could not be applied: \(error)",
            underlying: error)
    }

    static func anotherPast(_ token: ChangeToken) -> SettingsError {
        SettingsError(
            .historyUnavailable,
            "The token \(token) does not belong to this history: it is from another file, or from another history "
                + "of this file, such as the one before a backup was restored.")
    }

    static func forgotten(_ token: ChangeToken) -> SettingsError {
        SettingsError(
            .historyUnavailable,
            "The token \(token) is no longer known: the changes after it were discarded or lost, or the file now has "
                + "another history.")
    }

    static func withinSum(_ token: ChangeToken) -> SettingsError {
        SettingsError(
            .historyUnavailable,
            "The token \(token) is of one of several transactions whose changes are known only together.")
    }

    static func unknownChanges(at token: ChangeToken) -> SettingsError {
        SettingsError(.historyUnavailable, "The changes of the transaction at \(token) are not known.")
    }

    // MARK: Unconfirmed commits

    static let nothingUnconfirmed = SettingsError(
        .nothingUnconfirmed, "There is no unconfirmed change: it was confirmed or reverted, or there was none.")

    static let unreadableUnconfirmed = SettingsError(
        .unusableValue,
        "\(quoted(UnconfirmedCommit.key)), the record of an unconfirmed change, can't be read. The change stays in "
            + "force and is not reverted. Correct the record, or remove it to confirm the change.",
        key: UnconfirmedCommit.key.description)

    static func confirmedTooLate(_ commit: UnconfirmedCommit) -> SettingsError {
        SettingsError(
            .nothingUnconfirmed,
            "The change can no longer be confirmed: it was not confirmed within \(commit.length.inWords), and is "
                + "being reverted.")
    }

    /// - Parameter what: Text that completes "it is …".
    static func unconfirmable(_ key: SettingKey, _ what: String, rule: String) -> SettingsError {
        SettingsError(
            .notUndoable,
            "A commit with “confirmWithin” can't change \(quoted(key)): it is \(what). Commit it "
                + "without “confirmWithin”. Nothing has changed.", key: key.description, rule: rule)
    }

    /// - Parameter error: The reason why a setting could not be restored.
    static func notPutBack(_ key: SettingKey, _ error: any Error) -> SettingsError {
        SettingsError(
            .notUndoable, "\(quoted(key)) was not reverted with the unconfirmed change: \(error)",
            key: key.description, rule: (error as? SettingsError)?.rule, underlying: error)
    }

    /// - Parameter error: The reason why an unconfirmed commit could not be reverted in time.
    static func unconfirmedStands(_ error: any Error) -> SettingsError {
        SettingsError(
            (error as? SettingsError)?.code ?? .storage,
            "The unconfirmed change could not be reverted yet, and Settle will try again. \(error)", underlying: error)
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

/// The result of ``SettingsStore/History/undo(_:force:author:)``.
public struct UndoResult: Sendable, Hashable, Codable {
    /// The transaction that was to be undone; `nil` for an unconfirmed commit that the history does not have.
    public var undone: ChangeToken?
    /// The undo's own token, with which it can be undone in turn. `nil` if nothing was left to be written, or if the
    /// store's log has already forgotten the token.
    public var token: ChangeToken?
    /// The keys that were put back, sorted.
    public var keys: [String]
    /// The keys that have changed since, which were left alone. Sorted; empty if the undo was forced.
    public var conflicts: [UndoConflict]
}

/// The properties of a transaction beside its writes.
struct TransactionNote: Sendable {
    /// The transaction that it reverts.
    var undone: ChangeToken?
    /// The change of the unconfirmed commit, if there is one.
    var unconfirmed: UnconfirmedWrite?
}

/// A change of the unconfirmed commit. A class, because almost none of the log's transactions has one.
final class UnconfirmedWrite: Sendable {
    /// `nil` if no commit is unconfirmed any more.
    let commit: UnconfirmedCommit?
    /// The keys that were written in the same transaction, and must be stored together with it.
    let keys: [SettingKey]
    let author: String?
    /// The reason for it, for the history; `nil` for a commit that is to be confirmed.
    let reason: String?

    init(_ commit: UnconfirmedCommit?, keys: [SettingKey], author: String?, reason: String? = nil) {
        self.commit = commit
        self.keys = keys
        self.author = author
        self.reason = reason
    }
}

/// The unconfirmed commit of a store, and whether its record has to be stored.
struct UnconfirmedState: Sendable {
    /// `nil` if no commit is unconfirmed.
    private(set) var current: UnconfirmedCommit?
    /// Whether the stored record can't be read. Then its commit stands, and the record stays.
    private(set) var isUnreadable: Bool
    private var unsaved: UnconfirmedWrite?

    init(_ record: SettingValue?) {
        current = UnconfirmedCommit(record)
        isUnreadable = record != nil && current == nil
    }

    /// Adopts the change of a published transaction.
    mutating func write(_ write: UnconfirmedWrite) {
        current = write.commit
        isUnreadable = false
        unsaved = UnconfirmedWrite(
            write.commit, keys: write.keys + (unsaved?.keys ?? []), author: write.author, reason: write.reason)
    }

    /// Whether its record has to be stored.
    var hasUnsaved: Bool { unsaved != nil }

    /// Returns the change to be stored, once.
    mutating func takeUnsaved() -> UnconfirmedWrite? {
        defer { unsaved = nil }
        return unsaved
    }

    /// Adopts the record that is stored or about to be, unless a transaction has written a newer one.
    ///
    /// - Returns: Whether it is one that can't be read, unlike the one before.
    mutating func adopt(_ record: SettingValue?) -> Bool {
        guard unsaved == nil else { return false }
        let wasUnreadable = isUnreadable
        self = UnconfirmedState(record)
        return isUnreadable && !wasUnreadable
    }
}

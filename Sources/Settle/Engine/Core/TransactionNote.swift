/// What a transaction is besides its writes.
struct TransactionNote: Sendable {
    /// The transaction that it takes back.
    var undone: ChangeToken?
    /// What becomes of the unconfirmed commit, if that changes.
    var unconfirmed: UnconfirmedWrite?
}

/// A change of the unconfirmed commit. A class, because nearly no transaction of the log has one.
final class UnconfirmedWrite: Sendable {
    /// `nil` if none is unconfirmed any more.
    let commit: UnconfirmedCommit?
    /// The keys that were written in the same transaction, and must be stored together with it.
    let keys: [SettingKey]
    let author: String?
    /// Why it was made, for the history; `nil` for a commit that is to be confirmed.
    let reason: String?

    init(_ commit: UnconfirmedCommit?, keys: [SettingKey], author: String?, reason: String? = nil) {
        self.commit = commit
        self.keys = keys
        self.author = author
        self.reason = reason
    }
}

/// The unconfirmed commit of a store, and whether its record is to be stored.
struct UnconfirmedState: Sendable {
    /// `nil` if none is unconfirmed.
    private(set) var current: UnconfirmedCommit?
    private var unsaved: UnconfirmedWrite?

    init(_ commit: UnconfirmedCommit?) { current = commit }

    /// A transaction has been published.
    mutating func write(_ write: UnconfirmedWrite) {
        current = write.commit
        unsaved = UnconfirmedWrite(
            write.commit, keys: write.keys + (unsaved?.keys ?? []), author: write.author, reason: write.reason)
    }

    /// What is to be stored, once.
    mutating func takeUnsaved() -> UnconfirmedWrite? {
        defer { unsaved = nil }
        return unsaved
    }

    /// What is stored or about to be, unless a transaction has written something newer.
    mutating func adopt(_ commit: UnconfirmedCommit?) {
        if unsaved == nil { current = commit }
    }
}

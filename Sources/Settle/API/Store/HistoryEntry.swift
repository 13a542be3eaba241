#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A transaction of the history, as ``SettingsStore/History/entries(of:since:limit:)`` returns it.
///
/// As JSON it has the names of its properties; absent values are left out.
public struct HistoryEntry: Sendable, Hashable, Codable {
    /// The token of the transaction, which ``SettingsStore/History/undo(_:force:author:)`` takes.
    public var token: ChangeToken
    /// The wall time of the transaction, by the clock of the process that made it.
    public var time: Date
    /// The author of the transaction.
    public var author: TransactionAuthor
    /// ``ValueOrigin/local`` or ``ValueOrigin/reset`` for a write of a program, ``ValueOrigin/external`` for an edit by
    /// hand, or ``ValueOrigin/migration``.
    public var origin: ValueOrigin
    /// The domain that has changed: ``DomainName/application``, since others have no history.
    public var domain: DomainName
    /// The transaction that this one took back, if it is an undo.
    public var undone: ChangeToken?
    /// The reason for the transaction, such as `not confirmed within 5 minutes`; `nil` for a plain write.
    public var reason: String?
    /// The number of transactions that it stands for: more than 1 if there was no room for each, so that only the sum
    /// is known.
    public var count: UInt64
    /// The changes, in the order of the keys.
    public var changes: [HistoryChange]
    /// Whether ``changes`` is complete. Otherwise it is empty, and anything may have changed.
    public var isKnown: Bool

    /// - Parameter keys: The keys to report; `nil` for all.
    init(_ past: HistoryTransaction, at keys: [SettingKey]?) {
        let transaction = past.transaction
        token = past.token
        time = Date(timeIntervalSinceReferenceDate: transaction.time)
        author = transaction.author
        origin = transaction.origin
        domain = .application
        undone = transaction.undone
        reason = transaction.reason
        count = transaction.count
        changes = (keys.map(transaction.mutations) ?? transaction.mutations ?? []).map(HistoryChange.init)
        isKnown = transaction.mutations != nil
    }
}

extension HistoryEntry: CustomStringConvertible {
    /// A description such as `2026-11-23T05:00:00Z, local, by “cli” (tool 4711, alice): limit: 5 → 6`, without secrets.
    public var description: String {
        var parts = [Timestamp(time)?.iso8601 ?? "\(time)", "\(origin)", "by \(author)"]
        if let undone { parts.append("undoes \(undone)") }
        if let reason { parts.append(reason) }
        if count > 1 { parts.append("\(count) transactions") }
        let list = isKnown ? changes.map(\.description).joined(separator: ", ") : "unknown changes"
        return parts.joined(separator: ", ") + (list.isEmpty ? "" : ": \(list)")
    }
}

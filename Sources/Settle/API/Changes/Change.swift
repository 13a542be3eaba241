#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One transaction as a subscriber receives it: the mutations within what it has subscribed to.
public struct Change: Sendable {
    /// The transaction's number in this process, given at once. Each transaction of a store gets the next revision. In
    /// changes of a storage's history, 0 for a transaction that this process has not seen when it was made.
    public let revision: UInt64
    /// The transaction's place in the history of the file, or of another storage: one order for all processes, which
    /// goes on across restarts. `nil` as long as it has not been appended, which is usual with `changes`, unless they are
    /// ``SettingsStore/changes(_:durableOnly:)`` with durable ones only; for what is never stored; and for a storage
    /// without a history.
    public let token: ChangeToken?
    /// Wall time of the transaction. A change from before the first request for the store's changes, which only
    /// `changes(since:)` delivers, may carry the time of the system's last tick, 1 to 4 ms earlier.
    public let time: Date
    /// Who made the transaction.
    public let origin: Origin
    /// The domain that has changed: the application's, unless the store has a search list.
    public let domain: DomainName
    /// The name that was given to ``SettingsStore/commit(by:_:)`` or `update(by:)`, if any.
    public let author: String?
    /// The changed settings, in the order in which they were first written. If some of their keys lie within others,
    /// which is possible only for keys that no group declares, they come in the order of their keys: an inner mutation
    /// changes what the outer one has written.
    ///
    /// Empty only if changes were missed: either this one, because its values exceed the memory limit of the store's
    /// log (``SettingsStore/Configuration/logCostLimit``), or earlier ones that no later change has followed. In
    /// the second case the change only reports the loss, with the revision of the newest missed change.
    public let mutations: [Mutation]
    /// Whether the transaction, with all its values, was on stable storage when this change was delivered.
    public let isDurable: Bool
    /// How many changes this subscriber should have received before this one but missed, because it fell behind the
    /// store's bounded log. With ``Delivery/newest`` these are the changes that were passed over.
    public let missed: UInt64
    /// If changes were missed and nobody knows how many, which only ``SettingsStore/changes(after:durableOnly:)`` tells:
    /// all values that are stored at the ``token``, without secrets, to begin from.
    public let snapshot: SettingTree?

    /// What ``missed`` is if nobody knows how many changes were missed.
    public static let unknownCount = UInt64.max
}

/// Which changes a subscriber receives.
public enum Delivery: Sendable, Hashable {
    /// The newest state only: skips changes that were overtaken before the subscriber asked.
    case newest
    /// Every change, in order, as long as the store's log holds it; see ``Change/missed``.
    case every
}

extension Change: CustomStringConvertible {
    /// Such as `revision 7, local, by “cli”: passcode.attemptCount: 1 → 2`, without secrets.
    public var description: String {
        var parts = ["revision \(revision)", "\(origin)"]
        if let author { parts.append("by “\(author)”") }
        if missed == Self.unknownCount { parts.append("unknown changes missed") }
        if missed > 0, missed < Self.unknownCount { parts.append("\(missed) missed before") }
        let list = mutations.map(\.description).joined(separator: ", ")
        return parts.joined(separator: ", ") + (list.isEmpty ? "" : ": \(list)")
    }
}

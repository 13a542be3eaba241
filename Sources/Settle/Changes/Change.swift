#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One transaction as a subscriber receives it: the mutations within what it has subscribed to.
public struct Change: Sendable {
    /// The transaction's number. Each transaction of a store gets the next revision.
    public let revision: UInt64
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
    /// log (``SettingsStore/Configuration/historyCostLimit``), or earlier ones that no later change has followed. In
    /// the second case the change only reports the loss, with the revision of the newest missed change.
    public let mutations: [Mutation]
    /// Whether the transaction, with all its values, was on stable storage when this change was delivered.
    public let isDurable: Bool
    /// How many changes this subscriber should have received before this one but missed, because it fell behind the
    /// store's bounded log. With ``Delivery/newest`` these are the changes that were passed over.
    public let missed: UInt64
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
        if missed > 0 { parts.append("\(missed) missed before") }
        let list = mutations.map(\.description).joined(separator: ", ")
        return parts.joined(separator: ", ") + (list.isEmpty ? "" : ": \(list)")
    }
}

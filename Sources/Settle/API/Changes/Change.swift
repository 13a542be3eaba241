#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One transaction as a subscriber receives it, with the mutations within the subscription.
public struct Change: Sendable {
    /// The transaction's number in this process, assigned immediately. Each transaction of a store gets the next
    /// revision.
    /// `nil` only in changes of a storage's history, for a transaction that this process did not see when it was made.
    public let revision: UInt64?
    /// The transaction's position in the history of the file, or of another storage: one order for all processes,
    /// continued across restarts.
    ///
    /// `nil` until the transaction has been appended, which is usual with `changes`, unless they are
    /// ``SettingsStore/changes(_:durableOnly:)`` with durable ones only. Also `nil` for a transaction that is never
    /// stored, and for a storage without a history.
    public let token: ChangeToken?
    /// The wall time of the transaction. A change from before the first request for the store's changes, which only
    /// `changes(afterRevision:)` delivers, may carry the time of the system's last tick, 1 to 4 ms earlier.
    public let time: Date
    /// The origin of the transaction.
    public let origin: ValueOrigin
    /// The domain that has changed: the application's, unless the store has a search list.
    public let domain: DomainName
    /// The name given to ``SettingsStore/commit(author:confirmWithin:_:)`` or `update(author:)`, if any.
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
    /// The changes that this subscriber should have received before this one but missed, because it fell behind the
    /// store's bounded log. With ``Change/Delivery/newest``, these are the changes that were passed over.
    public let missed: Missed
    /// The values to begin from, if it is unknown which changes were missed; see ``Missed/unknown(_:)``.
    public var snapshot: SettingTree? {
        if case .unknown(let snapshot) = missed { snapshot } else { nil }
    }

    /// The changes that a subscriber has missed.
    public enum Missed: Sendable, Hashable {
        /// Nothing.
        case nothing
        /// That many changes, at least one.
        case changes(UInt64)
        /// It is unknown which changes, or how many. Only ``SettingsStore/History/changes(after:durableOnly:)`` reports
        /// this. The associated value has all values stored at the ``Change/token``, to begin from, without the secrets
        /// that this store's groups declare and those that other processes have declared while history was enabled.
        case unknown(SettingTree)

        init(count: UInt64) { self = count == 0 ? .nothing : .changes(count) }

        /// The number of missed changes; `nil` if it is unknown.
        public var count: UInt64? {
            switch self {
            case .nothing: 0
            case .changes(let count): count
            case .unknown: nil
            }
        }
    }
}

extension Change {
    /// The changes that a subscriber receives.
    public enum Delivery: Sendable, Hashable {
        /// The newest state only: skips changes that were overtaken before the subscriber asked.
        case newest
        /// Every change, in order, as long as the store's log holds it; see ``Change/missed``.
        case every
    }
}

extension Change: CustomStringConvertible {
    /// A description such as `revision 7, local, by “cli”: passcode.attemptCount: 1 → 2`, without secrets.
    public var description: String {
        var parts = (revision.map { ["revision \($0)"] } ?? []) + ["\(origin)"]
        if let author { parts.append("by “\(author)”") }
        switch missed {
        case .nothing: break
        case .changes(let count): parts.append("\(count) missed before")
        case .unknown: parts.append("unknown changes missed")
        }
        let list = mutations.map(\.description).joined(separator: ", ")
        return parts.joined(separator: ", ") + (list.isEmpty ? "" : ": \(list)")
    }
}

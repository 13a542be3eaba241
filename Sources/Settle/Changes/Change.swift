#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a subscriber receives: one transaction, with the mutations that concern the subscriber.
public struct Change: Sendable {
    /// The transaction's number. Revisions rise by one with each transaction of a store.
    public let revision: UInt64
    /// Wall time of the transaction. For one from before anybody had asked its store for changes, which only
    /// `changes(since:)` gives, it may be the time of the system's last tick, 1 to 4 ms earlier.
    public let time: Date
    public let origin: Origin
    /// The name that the writer gave itself, see ``SettingsStore/commit(by:_:)``.
    public let writer: String?
    /// The changed settings, in the order in which they were first written. If some of their keys lie within others, which only keys
    /// do that no group declares, they come in the order of their keys: an inner one changes what the outer one has written.
    ///
    /// Empty only if changes have been missed: this one itself, because its values take more memory than the store's log may
    /// (``SettingsStore/Configuration/historyCostLimit``), or earlier ones after which none has come. Then the change just tells of these,
    /// with the revision of the newest of them.
    public let mutations: [Mutation]
    /// Whether the transaction, with all its values, was on stable storage when this change was delivered.
    public let isDurable: Bool
    /// How many changes this subscriber should have got before this one and did not, because it fell behind the
    /// store's bounded log. With ``Delivery/newest`` these are the changes that were passed over.
    public let missed: UInt64

    /// The mutation of one setting, if this change has one.
    public subscript<Value>(setting: SettingReference<Value>) -> (oldValue: Value, newValue: Value)? {
        let key = setting.key
        guard let mutation = mutations.first(where: { $0.key == key }),
            let old = mutation.oldValue as? Value, let new = mutation.newValue as? Value
        else { return nil }
        return (old, new)
    }
}

/// Which changes a subscriber is given.
public enum Delivery: Sendable, Hashable {
    /// The newest state only: changes that were overtaken before the subscriber asked are passed over.
    case newest
    /// Every change, in order, as long as the store's log holds it; see ``Change/missed``.
    case every
}

extension Change: CustomStringConvertible {
    /// Such as `revision 7, local, by “cli”: passcode.attemptCount: 1 → 2`, without secrets.
    public var description: String {
        var parts = ["revision \(revision)", "\(origin)"]
        if let writer { parts.append("by “\(writer)”") }
        if missed > 0 { parts.append("\(missed) missed before") }
        let list = mutations.map(\.description).joined(separator: ", ")
        return parts.joined(separator: ", ") + (list.isEmpty ? "" : ": \(list)")
    }
}

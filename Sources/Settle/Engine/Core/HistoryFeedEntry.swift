/// A transaction of the storage's history, which its followers share.
final class HistoryFeedEntry: RecordOfHistory {
    let token: ChangeToken
    let transaction: StoredTransaction
    /// The transaction's revision in this process; 0 if it has none.
    let revision: UInt64
    /// Made for the first follower, and again once other settings are declared. Foreign code runs meanwhile, so it may be
    /// made twice.
    private let typed = LockedValue<(declarations: UInt64, mutations: [FeedMutation])?>(nil)

    init(token: ChangeToken, transaction: StoredTransaction, revision: UInt64) {
        self.token = token
        self.transaction = transaction
        self.revision = revision
    }

    /// Returns the changes, with the values of the declared types.
    func mutations(in engine: Engine) -> [FeedMutation] {
        let declarations = engine.log.lock.withLock { engine.log.stored.declarations }
        if let known = typed.withLock({ $0 }), known.declarations == declarations { return known.mutations }
        var made = (transaction.mutations ?? []).flatMap { FeedMutation.make($0, in: engine) }
        let earlier = typed.withLock { $0 }
        // The streams of a released group still deliver what came before.
        for index in made.indices where made[index].slot == nil {
            let same = earlier?.mutations.first { $0.key == made[index].key && $0.slot != nil }
            if let same { made[index] = same }
        }
        typed.withLock { $0 = (declarations, made) }
        // Releasing values runs foreign code.
        withExtendedLifetime(earlier) {}
        return made
    }

    /// Returns the changes of a group's settings, even once these were released.
    func mutations(of boxes: [AnySettingBox]) -> [FeedMutation] {
        let settings = boxes.compactMap { box -> (slot: SettingSlot, box: AnySettingBox?)? in
            guard let slot = box.original.existingPlacement?.slot else { return nil }
            return (slot, box.original)
        }
        return (transaction.mutations ?? []).flatMap { mutation -> [FeedMutation] in
            if let setting = settings.first(where: { $0.slot.key == mutation.key }) {
                return [FeedMutation(mutation, setting.slot, setting.box)]
            }
            return FeedMutation.make(mutation, within: settings.filter { $0.slot.key.isWithin(mutation.key) })
        }
    }
}

/// One mutation of the storage's history.
struct FeedMutation: Sendable {
    let key: SettingKey
    let old: any Sendable
    let new: any Sendable
    /// The declared setting; `nil` if no group declares the key.
    let slot: SettingSlot?
    let isSecret: Bool

    /// Creates mutations with the values of the declared type, where a group declares the key, or keys in it.
    static func make(_ mutation: StoredMutation, in engine: Engine) -> [FeedMutation] {
        // A release, which takes the boxes away, has the lock as well.
        let (own, inner) = engine.log.lock.withLock { () -> (Declared?, [Declared]) in
            let slots = engine.log.stored.slots
            if let slot = slots[mutation.key], slot.declaration != nil { return ((slot, slot.box), []) }
            return (nil, slots.within(mutation.key).filter { $0.declaration != nil }.map { ($0, $0.box) })
        }
        guard !inner.isEmpty, !mutation.isWithheld else { return [FeedMutation(mutation, own?.slot, own?.box)] }
        return make(mutation, within: inner)
    }

    fileprivate typealias Declared = (slot: SettingSlot, box: AnySettingBox?)

    /// Creates mutations of settings whose keys lie within that of a mutation; none if its values are withheld.
    fileprivate static func make(_ mutation: StoredMutation, within settings: [Declared]) -> [FeedMutation] {
        guard !mutation.isWithheld else { return [] }
        let (old, new) = (mutation.tree(\.oldValue), mutation.tree(\.newValue))
        return settings.sorted(by: \.slot.key).compactMap { slot, box in
            guard old[slot.key] != new[slot.key] else { return nil }
            return FeedMutation(
                StoredMutation(key: slot.key, oldValue: old[slot.key], newValue: new[slot.key]), slot, box)
        }
    }

    fileprivate init(_ mutation: StoredMutation, _ slot: SettingSlot?, _ box: AnySettingBox?) {
        key = mutation.key
        self.slot = slot
        isSecret = mutation.isWithheld || slot?.isSecret == true
        let box = mutation.isWithheld ? nil : box
        old = Self.typed(mutation.oldValue, box)
        new = Self.typed(mutation.newValue, box)
    }

    /// Decodes a value. One that can't be decoded keeps its stored form.
    private static func typed(_ value: SettingValue?, _ box: AnySettingBox?) -> any Sendable {
        guard let box else { return value ?? .null }
        guard let value else { return box.erasedDefault }
        return (try? box.decode(stored: value)) ?? value
    }
}

extension StoredMutation {
    fileprivate func tree(_ value: KeyPath<StoredMutation, SettingValue?>) -> SettingTree {
        var tree = SettingTree()
        tree[key] = self[keyPath: value]
        return tree
    }
}

/// The result of a search for a follower of the storage's history.
enum HistoryFinding: Sendable {
    /// The next transactions.
    case entries([HistoryFeedEntry])
    /// The feed has it.
    case inFeed
    /// The storage can't be reached. The value is the feed's number of attempts until now.
    case unreachable(attempts: Int)
    /// The transactions since then are not known. The values are all values, without secrets, and the token where they
    /// were in force.
    case lost(SettingTree, ChangeToken?)
    case closed
}

/// Settings with values that could not be encoded, and the transactions that are not durable because of them.
///
/// Saving continues without such a value, so everything up to a revision may be on stable storage except a transaction
/// in the middle. That transaction becomes durable when a later value of the setting is saved, which supersedes all
/// earlier ones. A transaction whose values were given up after a failed save never becomes durable: an external change
/// replaced them.
struct UndurableSettings {
    private struct Entry {
        let slot: SettingSlot
        /// The revisions between which the setting was changed.
        var revisions: ClosedRange<UInt64>
    }

    private var settings: [ObjectIdentifier: Entry] = [:]
    /// The transactions that contain one of the values, as far as the log has them.
    private(set) var revisions: Set<UInt64> = []
    /// The transactions whose values were given up.
    private(set) var givenUp: Set<UInt64> = []

    /// Whether all values could be encoded.
    var isEmpty: Bool { settings.isEmpty }

    /// Records that a value written between two revisions could not be encoded.
    mutating func add(_ slot: SettingSlot, writtenIn range: ClosedRange<UInt64>, of ring: borrowing MutationRing) {
        let id = ObjectIdentifier(slot)
        // If it is not the first failure, the earlier value is not saved either.
        let first = min(range.lowerBound, settings[id]?.revisions.lowerBound ?? range.lowerBound)
        let setting = Entry(slot: slot, revisions: first...max(first, range.upperBound))
        settings[id] = setting
        // A setting may be written for as long as the program runs without ever being encoded.
        revisions = revisions.filter { $0 >= ring.oldest }
        collect(setting, from: ring)
    }

    /// Records that everything was saved that could be encoded.
    ///
    /// - Parameter unencodable: The settings whose values still can't be encoded.
    /// - Returns: Whether a transaction has become durable.
    mutating func keep(_ unencodable: some Sequence<SettingSlot>, of ring: borrowing MutationRing) -> Bool {
        let kept = Set(unencodable.map(ObjectIdentifier.init))
        guard !settings.keys.allSatisfy(kept.contains) else { return false }
        settings = settings.filter { kept.contains($0.key) }
        revisions = []
        for setting in settings.values { collect(setting, from: ring) }
        return true
    }

    /// Records that values written by transactions after one revision, up to another, were given up.
    mutating func giveUp(
        _ keys: Set<SettingKey>, writtenAfter handedOver: UInt64, upTo last: UInt64, of ring: borrowing MutationRing
    ) {
        givenUp = givenUp.filter { $0 >= ring.oldest }
        var revision = max(handedOver &+ 1, ring.oldest)
        while revision <= min(last, ring.newest) {
            // External changes are stored already.
            if let details = ring[revision]?.details, details.origin != .external,
                details.mutations.contains(where: { keys.contains($0.slot.key) })
            {
                givenUp.insert(revision)
            }
            revision &+= 1
        }
    }

    private mutating func collect(_ setting: Entry, from ring: borrowing MutationRing) {
        var revision = max(setting.revisions.lowerBound, ring.oldest)
        let last = min(setting.revisions.upperBound, ring.newest)
        while revision <= last {
            if ring.concerns(revision, setting.slot) { revisions.insert(revision) }
            revision &+= 1
        }
    }
}

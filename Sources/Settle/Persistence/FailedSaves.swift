/// What becomes of values that a save has failed for.
///
/// ```
///   pending ──append──▶ stored
///      │ failed
///      ▼
///   failed ──lock, nothing of it changed by others──▶ stored
///      │ others change a key of it, or, after a failed commit, anything
///      ▼
///   contested ──lock──▶ given up: what others have stored is in force, and an issue tells
/// ```
///
/// Others may have stored newer values since a save failed, acknowledged ones. So what has failed is only tried again under the
/// storage's lock, once everything is known that others have stored, and only as long as the keys still are what the values
/// replaced. Values that were written together stand or fall together. The closure of a commit may have looked at any key, so
/// what one has written stands only if others have changed nothing at all.
///
/// An append that throws may have been done all the same. So what is given up without others having changed its key is written
/// back.
struct FailedSaves {
    /// Whether the last append of what is pending has failed.
    private(set) var isRetry = false
    /// The values that stand or fall together, by a number of theirs; keys that are alone have none.
    private var units: [SettingKey: Int] = [:]
    private var members: [Int: Set<SettingKey>] = [:]
    private var lastUnit = 0
    /// Keys whose values were written together since the last append. They are linked only if that fails.
    private var unlinked: [[SettingKey]] = []
    /// Written last by a commit that has failed.
    private var committed: Set<SettingKey> = []
    /// Changed by others.
    private var replaced: Set<SettingKey> = []
    /// Those, and what a commit had written before others have changed something.
    private var contested: Set<SettingKey> = []

    /// Values have been taken for saving.
    ///
    /// - Parameter groups: Keys whose values were written together.
    mutating func take(_ keys: some Sequence<SettingKey>, writtenTogether groups: [[SettingKey]]) {
        if !committed.isEmpty { committed.subtract(keys) }
        unlinked += groups
        if isRetry { linkAll() }
    }

    private mutating func linkAll() {
        for group in unlinked { link(group) }
        unlinked = []
    }

    private mutating func link(_ keys: [SettingKey]) {
        guard keys.count > 1 else { return }
        let known = Set(keys.compactMap { units[$0] })
        // The largest one takes in the others.
        let unit: Int
        if let largest = known.max(by: { members[$0, default: []].count < members[$1, default: []].count }) {
            unit = largest
        } else {
            lastUnit += 1
            unit = lastUnit
        }
        var joining = Set(keys)
        for other in known where other != unit { joining.formUnion(members.removeValue(forKey: other) ?? []) }
        for key in joining { units[key] = unit }
        members[unit, default: []].formUnion(joining)
    }

    /// An append of everything that is pending has failed.
    mutating func appendFailed() {
        isRetry = true
        linkAll()
    }

    /// A commit that has written some of what is pending has failed.
    mutating func commitFailed(_ keys: [SettingKey]) {
        linkAll()
        link(keys)
        committed.formUnion(keys)
    }

    /// Others have changed something since an append has failed.
    mutating func changedOutside(_ keys: Set<SettingKey>) {
        linkAll()
        replaced.formUnion(keys)
        contested.formUnion(keys)
        contested.formUnion(committed)
    }

    /// What is to be given up: everything that is contested, and what was written together with it.
    var lost: Set<SettingKey> {
        var lost = contested
        for key in contested {
            if let unit = units[key], let members = members[unit] { lost.formUnion(members) }
        }
        return lost
    }

    func isCommitted(_ key: SettingKey) -> Bool { committed.contains(key) }

    /// Whether others have changed a key.
    func isReplaced(_ key: SettingKey) -> Bool { replaced.contains(key) }

    /// Nothing of the contested values is pending any more.
    mutating func gaveUp(_ keys: Set<SettingKey>) {
        for key in keys {
            if let unit = units.removeValue(forKey: key) { members[unit]?.remove(key) }
        }
        committed.subtract(keys)
        contested = []
        replaced = []
    }

    /// The storage has taken everything.
    mutating func handedOver() {
        self = FailedSaves()
    }
}

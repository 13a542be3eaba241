/// What becomes of values whose save has failed.
///
/// ```
///   pending ──append──▶ stored
///      │ failed
///      ▼
///   failed ──lock, no key changed by others──▶ stored
///      │ others change one of the keys or, after a failed commit, any key
///      ▼
///   contested ──lock──▶ given up: the others' values are in force, and an issue reports it
/// ```
///
/// After a failed save, other processes may have stored newer values, and those were acknowledged. So failed values are
/// retried only under the storage's lock, after fetching all external changes, and only while their keys still hold
/// what the values replaced. Values written together stand or fall together. A commit's closure may have read any key,
/// so its values stand only if others have changed nothing at all.
///
/// An append that throws may still have taken effect. So when a value is given up although its key has no newer
/// external value, the stored value is written back.
struct FailedSaves {
    /// Whether the last append of the pending values has failed.
    private(set) var isRetry = false
    /// The unit that each key stands or falls with. A key on its own has none.
    private var units: [SettingKey: Int] = [:]
    private var members: [Int: Set<SettingKey>] = [:]
    private var lastUnit = 0
    /// Keys written together since the last append. They are linked only if that append fails.
    private var unlinked: [[SettingKey]] = []
    /// Keys last written by a commit that has failed.
    private var committed: Set<SettingKey> = []
    /// Keys changed by others.
    private var replaced: Set<SettingKey> = []
    /// Values that the storage refuses, with all that was written together with them. They are tried again together.
    private(set) var setAside: [Set<SettingKey>] = []
    /// `replaced`, plus the keys of failed commits that precede an external change.
    private var contested: Set<SettingKey> = []

    /// Registers values that were taken for saving.
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
        // Merge into the largest unit: it moves the fewest keys.
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

    /// An append of all pending values has failed.
    mutating func appendFailed() {
        isRetry = true
        linkAll()
    }

    /// A commit has failed; `keys` are the pending keys that it wrote.
    mutating func commitFailed(_ keys: [SettingKey]) {
        linkAll()
        link(keys)
        committed.formUnion(keys)
    }

    /// Others have changed keys since an append failed.
    mutating func changedOutside(_ keys: Set<SettingKey>) {
        linkAll()
        replaced.formUnion(keys)
        contested.formUnion(keys)
        contested.formUnion(committed)
    }

    /// The keys to give up: the contested ones, and everything written together with them.
    var lost: Set<SettingKey> {
        var lost = contested
        for key in contested {
            if let unit = units[key], let members = members[unit] { lost.formUnion(members) }
        }
        return lost
    }

    /// A key with all that were written together with it.
    mutating func unit(of key: SettingKey) -> Set<SettingKey> {
        linkAll()
        return units[key].flatMap { members[$0] } ?? [key]
    }

    /// The storage refuses a unit, which waits for better times.
    mutating func setAside(_ unit: Set<SettingKey>) {
        setAside.removeAll { !$0.isDisjoint(with: unit) }
        if unit.count > 1 { setAside.append(unit) }
    }

    func isCommitted(_ key: SettingKey) -> Bool { committed.contains(key) }

    func isReplaced(_ key: SettingKey) -> Bool { replaced.contains(key) }

    /// No contested value is pending any more.
    mutating func gaveUp(_ keys: Set<SettingKey>) {
        forget(keys)
        contested = []
        replaced = []
    }

    /// These values are not pending any more.
    mutating func forget(_ keys: Set<SettingKey>) {
        for key in keys {
            if let unit = units.removeValue(forKey: key) { members[unit]?.remove(key) }
        }
        committed.subtract(keys)
        contested.subtract(keys)
        replaced.subtract(keys)
    }

    /// The storage has accepted everything.
    ///
    /// - Parameter keys: Except for these, which were set aside.
    mutating func handedOver(keeping keys: [SettingKey] = []) {
        let kept = setAside.filter { unit in keys.contains(where: unit.contains) }
        self = FailedSaves()
        setAside = kept
    }
}

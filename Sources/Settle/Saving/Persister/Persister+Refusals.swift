/// Handles batches that the storage refuses as a whole: too large for one record, or refused for a reason that checking
/// the single values did not show.
extension Persister {
    /// How many values to set aside before the refusal counts as a failure.
    static let refusalLimit = 16

    /// Removes a value from a batch that the storage has refused, with everything that was written together with it.
    ///
    /// - Returns: The error to report; `nil` if the value can't be removed, such as that of a commit, which fails as a whole.
    func setAside(
        _ key: SettingKey, for error: StorageError, upTo revision: UInt64, changedAt oldest: Double
    ) -> SettingsError? {
        let commits = joined.filter { $0.revision != nil }
        guard let unit = pending.unitToSetAside(with: key),
            !commits.contains(where: { !unit.isDisjoint(with: pendingKeys(of: $0)) })
        else { return nil }
        let slots = log.lock.withLock { unit.compactMap(log.stored.slots.placed) }
        let settings = slots.compactMap { slot in slot.box.map { (slot: slot, box: $0) } }
        // What was to be removed at other spellings is collected again with its setting.
        let spellings = unit.subtracting(settings.map(\.slot.key))
        guard let first = settings.first(where: { $0.slot.key == key }),
            spellings.allSatisfy({ pending.values[$0] == .some(nil) })
        else { return nil }
        for spelling in spellings {
            let left = pending.setAside(spelling)
            log.lock.withLock { log.stored.tree[spelling] = left }
        }
        // What lies within another one first: the outer one is still there, then.
        for (slot, box) in settings.sorted(by: { $0.slot.key > $1.slot.key }) {
            log.revert(slot, box, leaving: pending.setAside(slot.key), upTo: revision, changedAt: oldest)
        }
        pending.refuse(unit)
        let issue = SettingsError.encodingFailed(key: key, isSecret: first.slot.isSecret, error)
        report(issue)
        return issue
    }
}

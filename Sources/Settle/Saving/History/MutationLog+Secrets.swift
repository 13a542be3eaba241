extension MutationLog {
    /// The keys of declared secrets, in every spelling.
    var secretKeys: Set<SettingKey> {
        lock.withLock { Set(stored.slots.all.filter(\.isSecret).flatMap(spellings)) }
    }

    /// Returns the keys of some settings, in every spelling.
    func spellings(of keys: [SettingKey]) -> [SettingKey] {
        lock.withLock { keys.compactMap { stored.slots[$0] }.flatMap(spellings) }
    }

    /// Requires the log's lock.
    private func spellings(of slot: SettingSlot) -> [SettingKey] { [slot.key] + stored.slots.otherSpellings(of: slot) }
}

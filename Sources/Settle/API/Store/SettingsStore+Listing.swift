/// Declared settings, listed at run time.
extension SettingsStore {
    /// All settings of the groups in use, sorted by key, as they were between two transactions. Inside its own
    /// transaction a thread sees the transaction's writes.
    ///
    /// A store does not keep its groups alive: a group is not listed once its last copy is released. Nor are keys that
    /// are stored without being declared.
    public var settings: [SettingInfo] {
        core.lookAtAll().map(core.info).sorted { $0.key < $1.key }
    }

    /// Returns the state of the setting that a group in use declares for a key; `nil` if there is none.
    ///
    /// For callers that know the declaration: it leaves out the parts that must be made again from the type and its
    /// rules.
    package func state(forKey key: String) -> SettingState? {
        core.look(at: SettingKey(stored: key)).map(core.state)
    }
}

extension SettingsStore.Keys {
    /// Returns the setting that a group in use declares for a key; `nil` if there is none.
    public func setting(forKey key: some SettingKeyConvertible) -> SettingInfo? {
        store.core.look(at: SettingKey(given: key)).map(store.core.info)
    }

    /// Returns the key as the setting's group declares it, whichever spelling is stored; `nil` if there is no setting.
    package func declaredKey(forKey key: some SettingKeyConvertible) -> String? {
        declaredKeys(forKeys: [SettingKey(given: key)])[0]?.description
    }

    /// Returns the declared key of each of several keys, in their order, as of one moment; `nil` for one without a
    /// setting.
    package func declaredKeys(forKeys keys: some Sequence<SettingKey>) -> [SettingKey?] {
        let log = store.core.log
        return log.lock.withLock {
            keys.map { key -> SettingKey? in
                guard let slot = log.stored.slots[log.stored.resolved(key)], slot.declaration != nil else { return nil }
                return log.stored.slots.declaredKey(of: slot)
            }
        }
    }
}

extension SettingsStore.Keys {
    /// Explains why a key has its value: with every domain's value and its location, and which one is in force.
    ///
    /// The explanation is of one moment between two transactions; inside its own transaction, a thread sees the
    /// transaction's writes. The call waits for a running transaction, and reads the files of the domains again to name
    /// lines, so it may block for a moment.
    public func explanation(forKey key: some SettingKeyConvertible) -> Explanation {
        Explanation(of: SettingKey(given: key), in: store.core)
    }

    /// Explains it without misspelt variables, and without the locations of domains that don't lock keys: it reads no
    /// file for them.
    package func explanationWithoutPlaces(forKey key: SettingKey) -> Explanation {
        Explanation(of: key, in: store.core, placing: .locks, namesMisspelt: false)
    }

    /// Returns whether a domain locks a key, a part of it or a key around it, so that a write would be refused.
    package func isLocked(_ key: SettingKey) -> Bool {
        let log = store.core.log
        return log.lock.withLock { log.stored.lock(concerning: log.stored.resolved(key)) != nil }
    }

    /// Returns the location of the effective value. It reads no file for the values that this one covers.
    package func placeInForce(forKey key: some SettingKeyConvertible) -> String? {
        Explanation(of: SettingKey(given: key), in: store.core, placing: .inForce, namesMisspelt: false)
            .answers.first { $0.outcome == .inForce }?.place
    }
}

extension SettingReference.Domains {
    /// The reason why the setting has its value; see ``SettingsStore/Keys/explanation(forKey:)``. `nil` if no store has
    /// opened its group.
    public var explanation: Explanation? {
        (setting.placement.engine as? StoreCore).map { Explanation(of: setting.placement.slot.key, in: $0) }
    }
}

extension SettingsStore.Keys {
    /// Why a key has its value: every domain's value with its place, and which one is in force.
    ///
    /// It is of one moment between two transactions; inside its own transaction, a thread sees what that has written.
    /// Waits for a transaction that runs, and looks into the files of the domains again to name lines, so it may block
    /// for a moment.
    public func explanation(forKey key: some SettingKeyConvertible) -> Explanation {
        Explanation(of: SettingKey(given: key), in: store.core)
    }

    /// The same without the places of domains that don't lock keys: it looks into no file for them.
    package func explanationWithoutPlaces(forKey key: SettingKey) -> Explanation {
        Explanation(of: key, in: store.core, placing: .locks)
    }
}

extension SettingReference.Domains {
    /// Why the setting has its value; see ``SettingsStore/Keys/explanation(forKey:)``. `nil` if no store has opened its
    /// group.
    public var explanation: Explanation? {
        (setting.placement.engine as? StoreCore).map { Explanation(of: setting.placement.slot.key, in: $0) }
    }
}

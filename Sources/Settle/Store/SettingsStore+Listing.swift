/// Declared settings, listed at run time.
extension SettingsStore {
    /// All settings of the groups in use, sorted by key, as they were between two transactions. Inside its own
    /// transaction a thread sees what that has written.
    ///
    /// A store does not keep its groups alive: a group is not listed once its last copy is released. Nor are keys that
    /// are stored without being declared.
    public var settings: [SettingInfo] { core.settings }

    /// The setting that a group in use declares for a key; `nil` if there is none.
    public func setting(forKey key: String) -> SettingInfo? {
        core.setting(forKey: SettingKey(stored: key))
    }
}

/// Who may write the settings of a group, see ``SettingsGroup/access-swift.type.property``.
public enum SettingsAccess: String, Sendable, Hashable, CaseIterable {
    /// Whoever has the store.
    case open
    /// Code that has the group.
    case owner
}

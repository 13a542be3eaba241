/// Where the value of a setting is stored.
///
/// ```swift
/// struct ServiceSettings: SettingsGroup {
///     @Setting var user = ""
///     @Setting(storedIn: .secrets) var token: Secret<String>?
/// }
///
/// try await store.domains[.secretStore].update { settings.token = Secret("…") }
/// ```
public enum SettingStorage: Sendable, Hashable {
    /// With all other settings, in the application's domain: the default of every declaration.
    case settings
    /// In the store's ``SecretStore``, which the search list names: see ``SearchList/Domain/secretStore(in:)``.
    ///
    /// Only ``SettingsDomain/update(author:_:)`` of the domain ``DomainName/secretStore`` writes the value. Every other
    /// write is refused, with ``SettingsError/Code/secretStore``: an assignment, `update` and `commit`, a write by key,
    /// an import, an undo, and a draft that is applied. That includes the reset and the removal of the setting, while
    /// only the secret store can have its value; the reset of a group or of the store leaves it as it is. Writes by key
    /// are refused as long as the store exists, even after the group was released. So the value never gets into the
    /// settings file, its journal, its history, a mirror or an export. Without a secret store in the search list the
    /// setting can't be written.
    ///
    /// After a migration that has renamed the setting, the secret under the earlier name is used as long as there is
    /// none under the new one. The next write of the setting removes it.
    ///
    /// Reading works as for any setting: the first domain of the search list with a usable value wins. A value in the
    /// settings, from before the setting belonged to the secret store, is used as long as the secret store has none,
    /// and an issue reports it. The next write of that key to the secret store removes it from the settings.
    case secrets
}

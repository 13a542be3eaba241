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
    /// an import, an undo, and a draft that is applied. So the value never gets into the settings file, its journal,
    /// its history, a mirror or an export. Without a secret store in the search list the setting can't be written.
    ///
    /// Reading works as for any setting: the first domain of the search list with a usable value wins. A value in the
    /// settings, from before the setting belonged to the secret store, is used as long as the secret store has none,
    /// and an issue reports it. The next write to the secret store removes it from the settings.
    case secrets
}

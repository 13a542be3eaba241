/// Errors about the secret store.
extension SettingsError {
    /// Returns the error for a write that would store a value of the secret store elsewhere.
    ///
    /// - Parameter store: The store's secret store; `nil` if it has none.
    static func storedInSecrets(_ key: SettingKey, in store: DomainName?) -> SettingsError {
        let advice =
            store.map { "write it in an update of the domain “\($0)”" }
            ?? "the store has none: name one in its search list, such as .secretStore(in: folder)"
        return SettingsError(
            .secretStore,
            "\(quoted(key)) can't be written with the settings, because it is stored in the secret store: \(advice)."
                + oldValueStays,
            key: key.description, rule: "stored in the secret store")
    }

    /// Returns the error for a write to the secret store of a setting that is stored with the others.
    static func notStoredInSecrets(_ key: SettingKey, in domain: DomainName) -> SettingsError {
        SettingsError(
            .secretStore,
            "\(quoted(key)) can't be written to the domain “\(domain)”: its declaration does not say that it is stored in "
                + "the secret store.\(oldValueStays)",
            key: key.description)
    }

    /// Returns the error for a value in the settings that belongs to the secret store.
    static func secretInSettings(_ key: SettingKey) -> SettingsError {
        SettingsError(
            .secretStore,
            "The settings have a value of \(quoted(key)), which is stored in the secret store. It is used as long as "
                + "the secret store has none. The next write of the key to the secret store removes it from the "
                + "settings.",
            key: key.description)
    }

    /// Returns the error for values that belong to the secret store, which has them now, and are still in the settings.
    static func leftInSettings(_ keys: [SettingKey], _ error: any Error) -> SettingsError {
        let list = keys.map(quoted).joined(separator: ", ")
        return SettingsError(
            .secretStore,
            "The secret store has \(list) now, but the earlier value could not be removed from the settings: "
                + "\(reason(error))",
            key: keys.first?.description, underlying: error)
    }

    /// - Parameter declaration: Where the setting is declared.
    static func ownedSecret(_ key: SettingKey, _ declaration: String) -> SettingsError {
        SettingsError(
            .secretStore,
            "\(declaration) (\(quoted(key))) can't be stored in the secret store: its group is owner-only, and no other "
                + "domain has values for it.",
            key: key.description)
    }

    /// Returns the error for secrets that could not be written.
    static func secretsNotWritten(_ domain: DomainName, _ error: StorageError) -> SettingsError {
        SettingsError(.storage, "The domain “\(domain)” was not written: \(error)", underlying: error)
    }

    static func notReplaceable(_ domain: DomainName) -> SettingsError {
        SettingsError(
            .domain, "The domain “\(domain)” can't be replaced as a whole. Write its secrets in an update.")
    }
}

extension SettingsError {
    /// - Parameter place: Where the lock is.
    static func locked(_ key: SettingKey, by domain: DomainName, at place: String) -> SettingsError {
        SettingsError(
            .locked, "\(quoted(key)) can't be written: it is locked by \(place) (\(domain)).\(oldValueStays)",
            key: key.description, rule: "as \(place) says")
    }

    /// - Parameter place: Where the value in force is.
    static func covered(_ key: SettingKey, by domain: DomainName, at place: String) -> SettingsError {
        SettingsError(
            .covered,
            "\(quoted(key)) was written and is saved, but is not in force: \(place) (\(domain)) gives another value, which "
                + "takes precedence.",
            key: key.description)
    }

    static func notSearched(_ name: DomainName, _ searched: [DomainName]) -> SettingsError {
        let list = searched.isEmpty ? "none" : searched.map(\.description).joined(separator: ", ")
        return SettingsError(
            .domain,
            "The domain “\(name)” can't be used: the store does not search it. Besides the application's domain it "
                + "searches: \(list)."
        )
    }

    static func readOnly(_ name: DomainName) -> SettingsError {
        SettingsError(
            .domain,
            "The domain “\(name)” can't be written: its values come from outside the program, or from overrides.")
    }

    static func insideTransaction(_ name: DomainName) -> SettingsError {
        SettingsError(
            .domain,
            "The domain “\(name)” can't be changed within a transaction, which writes one domain. Change it before or after."
        )
    }

    static func otherStore(key: SettingKey) -> SettingsError {
        SettingsError(
            .notOpened, "\(quoted(key)) can't be overridden: its group was not opened by this store.",
            key: key.description)
    }

    /// Returns the error for a problem that a domain's source has found.
    static func domain(_ name: DomainName, _ problem: String, _ error: StorageError?) -> SettingsError {
        SettingsError(.domain, "The domain “\(name)”: \(problem)", underlying: error)
    }

    /// - Parameter place: Where the earlier name is.
    static func renamed(_ old: SettingKey, to key: SettingKey, in domain: DomainName, at place: String) -> SettingsError
    {
        SettingsError(
            .domain,
            "\(place) (\(domain)) has \(quoted(old)), which is now called \(quoted(key)). The value is used; rename "
                + "the key there.",
            key: key.description)
    }

    /// Returns the error for a value of a domain that can't be used.
    ///
    /// - Parameters:
    ///   - rule: The declaration's rule that the value breaks, if that is the reason.
    static func skipped(
        _ key: SettingKey, in domain: DomainName, at place: String, stored: Redacted<SettingValue>, rule: String?,
        isLocked: Bool, _ error: any Error
    ) -> SettingsError {
        let instead =
            isLocked
            ? "The last good value or the default is used, and the key stays locked" : "The next domain is asked"
        return SettingsError(
            .unusableValue,
            "The value of \(quoted(key)) in \(place) (\(domain)) can't be used: "
                + "\(reason(error, rule, isSecret: stored.isSecret)). \(instead).",
            key: key.description, value: stored.shown, rule: rule, underlying: stored.isSecret ? nil : error)
    }
}

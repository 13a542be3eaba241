public import Settle

extension SettingsStore.Domains {
    /// Registers the default values of a bundle: they count where no domain above has a value.
    ///
    /// ```swift
    /// try store.domains.register(contentsOf: SettingsBundle.read(at: url))
    /// ```
    ///
    /// Keys are those of `SettingsStore.Keys.key(named:)`: a declared setting, or one name including dots. Where a
    /// declared setting has a number or a Boolean value, a text that spells one is converted, since a field's default
    /// is text. The store must search `DomainName.registration`. All defaults are registered at once, or none.
    ///
    /// - Throws: `SettingsError` if a key can't be one, if the store does not search the registered defaults or is
    ///   closed, or within a transaction of the store.
    public func register(contentsOf bundle: SettingsBundle) throws {
        var defaults: [String: any Codable & Sendable] = [:]
        for (name, value) in bundle.defaultValues {
            guard let key = store.keys.key(named: name) else { continue }
            let kind = store.keys.setting(forKey: key)?.shape.kind
            defaults[key.description] = value.converted(to: kind)
        }
        try register(defaults)
    }
}

extension SettingValue {
    /// Returns the value that a text spells, for a setting of that kind; otherwise the value itself.
    package func converted(to kind: ValueShape.Kind?) -> SettingValue {
        switch (self, kind) {
        case (.string, .integer?):
            looseNumber.flatMap { Int64(exactly: $0) }.map(SettingValue.integer) ?? self
        case (.string, .number?): looseDouble.map(SettingValue.real) ?? self
        case (.string, .bool?), (.integer, .bool?): SettingCoercion.bool.convert(self).map(SettingValue.bool) ?? self
        default: self
        }
    }
}

public import Settle

extension SettingsStore.Keys {
    /// Returns the value of a key, converted as by the defaults system of Apple platforms; see <doc:Coercions>.
    ///
    /// ```swift
    /// let port = try store.keys.value(forKey: "port", coercedTo: .integer)
    /// ```
    ///
    /// - Throws: ``SettingsError`` if the value does not convert.
    /// - Returns: `nil` if the key has no value.
    public func value<Value>(
        forKey key: some SettingKeyConvertible, coercedTo coercion: SettingCoercion<Value>
    ) throws -> Value? {
        try value(forKey: key, convertedBy: coercion.convert)
    }
}

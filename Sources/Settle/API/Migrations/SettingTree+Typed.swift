/// Values as Swift types, for migrations.
extension SettingTree {
    /// The value at a key, converted as for a setting of the type; `nil` if there is none.
    ///
    /// - Throws: An error that names the key if the value has another form or type.
    public func value<Value: Codable & Sendable>(_ type: Value.Type, forKey key: SettingKey) throws -> Value? {
        guard let value = self[key] else { return nil }
        return try MigrationFailure.naming(key) { try SettingCodec<Value>.standard.decode(value) }
    }

    /// Sets the value at a key, converted as for a setting of the type.
    ///
    /// - Throws: An error that names the key if the value can't be stored.
    public mutating func setValue<Value: Codable & Sendable>(_ value: Value, forKey key: SettingKey) throws {
        self[key] = try MigrationFailure.naming(key) { try SettingCodec<Value>.standard.encode(value) }
    }
}

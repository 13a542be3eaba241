/// Settings by keys that are known at run time only.
extension SettingsStore {
    /// The value stored for a key, or that of the setting which a group declares for it.
    ///
    /// - Throws: ``SettingsError`` if the value does not convert to the type.
    /// - Returns: `nil` if nothing or null is stored for the key and no group declares it.
    @inlinable
    public func value<Value: Codable & Sendable>(
        forKey key: String, as type: Value.Type = Value.self
    ) throws -> Value? {
        if let stored = log.undeclaredValue(forKey: key), let value = stored.plain(as: Value.self) { return value }
        return try converted(key, to: type)
    }

    @usableFromInline
    func converted<Value: Codable & Sendable>(_ key: String, to type: Value.Type) throws -> Value? {
        guard let found = lookUp(key) else { return nil }
        switch found {
        case .stored(let stored):
            return try convert(stored, key: key, to: type)
        case .declared(let box):
            let value = box.visibleValue
            if let value = value as? Value { return value }
            return try convert(try box.encoder(value), key: key, to: type)
        }
    }

    /// Writes the value of a key, which a group may declare or not.
    ///
    /// - Throws: ``SettingsError`` if the value does not convert, breaks the declared setting's rule, would change a setting that
    ///   is its owner's (``SettingsAccess/owner``), or the store is closed.
    public func setValue<Value: Codable & Sendable>(
        _ value: Value, forKey key: String, by writer: String? = nil
    ) throws {
        try Self.checkKey(key, of: "setValue(_:forKey:)")
        let encoded: SettingValue
        do {
            encoded = try SettingCodec<Value>.standard.encode(value)
        } catch {
            throw SettingsError.encodingFailed(
                key: key, isSecret: Value.self is any SecretValue.Type || isSecret(key), error)
        }
        try write(encoded, given: value, forKey: key, by: writer)
    }

    /// Writes the value of a key, which a group may declare or not, as a storage sees it: such as one that was read with
    /// ``SettingValue/init(json:)``. A declared setting takes what it would take from a file, so a string for a date.
    ///
    /// - Throws: ``SettingsError`` that names the key and what was expected, if the value does not convert to the declared
    ///   setting's type or breaks its rule; if the write would change a setting that is its owner's; or if the store is
    ///   closed. The old value stays then.
    public func setValue(_ value: SettingValue, forKey key: String, by writer: String? = nil) throws {
        try Self.checkKey(key, of: "setValue(_:forKey:)")
        try write(value, given: value, forKey: key, by: writer)
    }

    private func write(
        _ encoded: SettingValue, given value: any Sendable, forKey key: String, by writer: String?
    ) throws {
        try transact(origin: .local, writer: writer) {
            let box = try box(forKey: key)
            do {
                try box.stage(decoding: encoded)
            } catch {
                throw refusal(of: value, encoded, forKey: key, by: box, error)
            }
        }
    }

    /// Why a value was not written, without the value if it or the setting is a secret.
    private func refusal(
        of value: any Sendable, _ encoded: SettingValue, forKey key: String, by box: AnySettingBox, _ error: any Error
    ) -> SettingsError {
        if box.isSecret || value is any SecretValue {
            return .refusedSecret(key: key, type: box.spelledType, rule: box.brokenRule(error))
        }
        return (error as? SettingsError) ?? .wrongType(key: key, given: value, stored: encoded, error)
    }

    /// Removes what is stored for a key. A declared setting goes back to its default.
    ///
    /// - Throws: ``SettingsError`` if the removal would change a setting that is its owner's, or the store is closed.
    public func removeValue(forKey key: String, by writer: String? = nil) throws {
        try Self.checkKey(key, of: "removeValue(forKey:)")
        try transact(origin: .reset, writer: writer) { try box(forKey: key).stageDefault() }
    }

    private enum Found {
        case stored(SettingValue)
        case declared(AnySettingBox)
    }

    private func lookUp(_ key: String) -> Found? {
        log.lock.withLock {
            if !log.slots.isEmpty, let slot = log.slots[key], let box = slot.box {
                return slot.isStored || slot.declaration != nil ? .declared(box) : nil
            }
            return ((retainedValues.value(forKey: key) as? SettingValue) ?? log.tree[key]).map { .stored($0) }
        }
    }

    /// An explicit null is no value, whatever the type.
    private func convert<Value: Codable & Sendable>(
        _ stored: SettingValue, key: String, to type: Value.Type
    ) throws -> Value? {
        do {
            return try SettingCodec<Value?>.standard.decode(stored)
        } catch {
            let isSecret = Value.self is any SecretValue.Type || isSecret(key)
            throw SettingsError.notConvertible(key: key, stored: isSecret ? nil : stored, to: Value.self, error)
        }
    }
}

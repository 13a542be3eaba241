/// What stands behind ``SettingsStore/value(forKey:as:)`` and its siblings.
extension StoreCore {
    @usableFromInline
    func converted<Value: Codable & Sendable>(_ key: SettingKey, to type: Value.Type) throws -> Value? {
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

    func setValue<Value: Codable & Sendable>(_ value: Value, forKey key: SettingKey, by writer: String?) throws {
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

    func setValue(_ value: SettingValue, forKey key: SettingKey, by writer: String?) throws {
        try Self.checkKey(key, of: "setValue(_:forKey:)")
        try write(value, given: value, forKey: key, by: writer)
    }

    private func write(
        _ encoded: SettingValue, given value: any Sendable, forKey key: SettingKey, by writer: String?
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
        of value: any Sendable, _ encoded: SettingValue, forKey key: SettingKey, by box: AnySettingBox,
        _ error: any Error
    ) -> SettingsError {
        if box.isSecret || value is any SecretValue {
            return .refusedSecret(key: key, type: box.spelledType, rule: box.brokenRule(error))
        }
        return (error as? SettingsError) ?? .wrongType(key: key, given: value, stored: encoded, error)
    }

    func removeValue(forKey key: SettingKey, by writer: String?) throws {
        try Self.checkKey(key, of: "removeValue(forKey:)")
        try transact(origin: .reset, writer: writer) { try box(forKey: key).stageDefault() }
    }

    private enum Found {
        case stored(SettingValue)
        case declared(AnySettingBox)
    }

    private func lookUp(_ key: SettingKey) -> Found? {
        log.lock.withLock {
            if !log.slots.isEmpty, let slot = log.slots[key], let box = slot.box {
                return slot.isStored || slot.declaration != nil ? .declared(box) : nil
            }
            return ((retainedValues.value(forKey: key) as? SettingValue) ?? log.tree[key]).map { .stored($0) }
        }
    }

    /// An explicit null is no value, whatever the type.
    private func convert<Value: Codable & Sendable>(
        _ stored: SettingValue, key: SettingKey, to type: Value.Type
    ) throws -> Value? {
        do {
            return try SettingCodec<Value?>.standard.decode(stored)
        } catch {
            let isSecret = Value.self is any SecretValue.Type || isSecret(key)
            throw SettingsError.notConvertible(key: key, stored: isSecret ? nil : stored, to: Value.self, error)
        }
    }
}

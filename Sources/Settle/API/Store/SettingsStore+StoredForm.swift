extension SettingsStore.Keys {
    /// The value of a key in stored form, declared by a group or not; `nil` if there is none.
    public subscript(key: some SettingKeyConvertible) -> SettingValue? {
        (try? store.core.storedForm(ofKey: SettingKey(given: key))) ?? nil
    }

    /// Returns the value of a key, converted; `nil` if the key has no value.
    ///
    /// - Throws: ``SettingsError`` if the value does not convert.
    package func value<Value>(
        forKey key: some SettingKeyConvertible, convertedBy convert: (SettingValue) -> Value?
    ) throws -> Value? {
        let key = SettingKey(given: key)
        guard let stored = try store.core.storedForm(ofKey: key) else { return nil }
        guard let value = convert(stored) else {
            let error = SettingCodingError(expected: "one that converts to \(spelling(of: Value.self))", found: stored)
            throw SettingsError.notConvertible(
                key: key, stored: Redacted(stored, isSecret: store.core.isSecret(key)), to: Value.self, error)
        }
        return value
    }
}

extension StoreCore {
    /// Returns the value of a key in stored form, whether or not a group declares it. An explicit null is not a value.
    func storedForm(ofKey key: SettingKey) throws -> SettingValue? {
        let place = log.lock.withLock { log.stored.resolved(key) }
        let found = lookUp(place)
        let value =
            try found.box.map { try $0.encoder($0.visibleValue) }
            ?? effectiveValue(at: key, own: found.found(at: place)).0
        return value == .null ? nil : value
    }
}

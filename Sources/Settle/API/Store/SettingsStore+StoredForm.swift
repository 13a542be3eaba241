extension SettingsStore.Keys {
    /// The value of a key in stored form, declared by a group or not; `nil` if there is none.
    public subscript(key: some SettingKeyConvertible) -> SettingValue? {
        (try? store.core.storedForm(ofKey: SettingKey(given: key))) ?? nil
    }

    /// Returns whether a key holds a secret that a group declares, a part of one, or a value with one inside.
    ///
    /// Secrets stay secret in this store after their group is released, and if their group could not be opened.
    /// For code that passes values on, such as to a log: the subscript also returns secrets.
    public func isSecret(_ key: some SettingKeyConvertible) -> Bool {
        store.core.isSecret(SettingKey(given: key))
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

    /// Returns the value of the application's domain at a declared key, in stored form, secret or not; `nil` if it has
    /// none.
    package func ownValue(forKey key: some SettingKeyConvertible) throws -> SettingValue? {
        guard let box = store.core.declaredBox(ofKey: SettingKey(given: key)), let value = box.visibleOwnValue else {
            return nil
        }
        return try box.encoder(value)
    }

    /// Returns the value with which a change of a declared setting begins, in stored form, secret or not: that of the
    /// application's domain and those below it, so that values of domains above it are never stored.
    package func valueToModify(forKey key: some SettingKeyConvertible) throws -> SettingValue? {
        guard let box = store.core.declaredBox(ofKey: SettingKey(given: key)) else { return nil }
        return try box.encoder(box.visibleValueBelowCover)
    }

    /// Returns whether two stored values represent equal ones of a declared setting. No value equals only no value.
    package func areSame(
        _ one: SettingValue?, _ other: SettingValue?, forKey key: some SettingKeyConvertible
    ) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return store.core.declaredBox(ofKey: SettingKey(given: key))?.areSame(one, other) ?? (one == other)
    }
}

extension StoreCore {
    /// Returns the setting that a group declares for a key.
    fileprivate func declaredBox(ofKey key: SettingKey) -> AnySettingBox? {
        lookUp(log.lock.withLock { log.stored.resolved(key) }).box
    }

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

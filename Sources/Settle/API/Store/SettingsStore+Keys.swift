extension SettingsStore {
    /// Values by keys that are known only at run time.
    @inlinable public var keys: Keys { Keys(store: self) }

    /// The values of a store by key, declared by a group or not.
    ///
    /// A key is text, such as `passcode.attemptCount`, or a ``SettingKey``, whose names may have dots. A view without
    /// state of its own; it keeps the store open.
    public struct Keys: Sendable {
        @usableFromInline package let store: SettingsStore

        @inlinable
        init(store: SettingsStore) { self.store = store }
    }
}

extension SettingsStore.Keys {
    /// Returns the value stored for a key, or the value of the setting that a group declares for it.
    ///
    /// - Throws: ``SettingsError`` if the value does not convert to the type.
    /// - Returns: `nil` if nothing or null is stored for the key and no group declares it.
    @inlinable
    public func value<Value: Codable & Sendable>(
        forKey key: some SettingKeyConvertible, as type: Value.Type = Value.self
    ) throws -> Value? {
        let key = key.description
        if let stored = store.log.undeclaredValue(forKey: key), let value = stored.plain(as: Value.self) {
            return value
        }
        return try store.core.converted(SettingKey(stored: key), to: type)
    }

    /// Writes the value of a key, declared by a group or not.
    ///
    /// For an undeclared key, everything within the key is replaced, and a value around it that is not a dictionary
    /// becomes one.
    ///
    /// - Throws: ``SettingsError`` if the value does not convert, if the storage could not hold it, if it breaks the
    ///   declared setting's rule, if it would change an owner-only setting (``SettingsAccess/owner``), if the key lies
    ///   around or within a declared setting's, or if the store is closed.
    public func setValue<Value: Codable & Sendable>(
        _ value: Value, forKey key: some SettingKeyConvertible, author: String? = nil
    ) throws {
        try store.open(key: key.description).setValue(value, forKey: SettingKey(given: key), author: author)
    }

    /// Writes the value of a key, declared by a group or not, in stored form, such as a value read with
    /// ``SettingValue/init(json:)``. A declared setting accepts what it would accept from a file, such as a string for
    /// a date. Values around and within an undeclared key are treated as by the other `setValue`.
    ///
    /// - Throws: ``SettingsError`` that names the key and the expectation, if the value does not convert to the
    ///   declared setting's type or breaks its rule; if the storage could not hold it, because of an invalid number or
    ///   too many levels; if the write would change an owner-only setting; if the key lies around or within a declared
    ///   setting's; or if the store is closed. The old value stays then.
    public func setValue(
        _ value: SettingValue, forKey key: some SettingKeyConvertible, author: String? = nil
    ) throws {
        try store.open(key: key.description).setValue(value, forKey: SettingKey(given: key), author: author)
    }

    /// Removes the value stored for a key, with everything within it. A declared setting returns to its default.
    ///
    /// - Throws: ``SettingsError`` if the removal would change an owner-only setting, if only the secret store can have
    ///   the setting's value (``SettingStorage/secrets``), if the key lies around or within a declared setting's, or if
    ///   the store is closed.
    public func removeValue(forKey key: some SettingKeyConvertible, author: String? = nil) throws {
        try store.open(key: key.description).removeValue(forKey: SettingKey(given: key), author: author)
    }

    /// Removes the value that is stored at exactly this key, also if ``removeValue(forKey:author:)`` would remove one
    /// under a name with dots.
    package func removeValue(storedAt key: SettingKey) throws {
        try store.open(key: key.description).removeValue(storedAt: key, author: nil)
    }

    /// Delivers the values of a key, declared by a group or not: the current one first, then the newest one after each
    /// change.
    ///
    /// ```swift
    /// for await port in store.keys.values(forKey: "plugins.web.port", as: Int.self) {
    ///     …                                            // nil while nothing is stored
    /// }
    /// ```
    ///
    /// An element is `nil` while the key has no value, or one that does not convert to the type. Values that are
    /// overtaken before the loop requests the next one are skipped. Changes of all domains and from outside count. The
    /// sequence ends when the store closes; leaving the loop or cancelling its task unsubscribes. For a declared
    /// setting, its `$name` is cheaper to follow: this sequence checks its key after each change of the store.
    public func values<Value: Codable & Sendable>(
        forKey key: some SettingKeyConvertible, as type: Value.Type = Value.self
    ) -> KeyedValues<Value> {
        KeyedValues(key: SettingKey(given: key), keeper: store.keeper)
    }
}

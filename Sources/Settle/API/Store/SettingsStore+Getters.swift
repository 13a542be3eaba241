#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Values by key, converted as by the defaults system of Apple platforms, for keys that are known only at run time.
///
/// See <doc:AccessByKey> for what converts to what. A value that does not convert counts as absent;
/// ``value(forKey:coercedTo:)-(String,_)`` says why.
extension SettingsStore {
    /// The value of a key, converted.
    ///
    /// ```swift
    /// let port = try store.value(forKey: "port", coercedTo: .integer)
    /// ```
    ///
    /// - Throws: ``SettingsError`` if the value does not convert.
    /// - Returns: `nil` if the key has no value.
    public func value<Value>(forKey key: String, coercedTo coercion: SettingCoercion<Value>) throws -> Value? {
        let key = SettingKey(stored: key)
        guard let stored = try core.storedForm(ofKey: key) else { return nil }
        guard let value = coercion.convert(stored) else {
            let error = SettingCodingError(expected: "one that converts to \(spelling(of: Value.self))", found: stored)
            throw SettingsError.notConvertible(
                key: key, stored: Redacted(stored, isSecret: core.isSecret(key)), to: Value.self, error)
        }
        return value
    }

    /// The value of a key that is given by its names, converted; see ``value(forKey:coercedTo:)-(String,_)``.
    public func value<Value>(forKey key: SettingKey, coercedTo coercion: SettingCoercion<Value>) throws -> Value? {
        try value(forKey: key.description, coercedTo: coercion)
    }

    /// The text of a key, or its number or boolean as text; `nil` if there is none.
    public func string(forKey key: String) -> String? { converted(key, .string) }

    /// The boolean of a key; `false` if there is none.
    public func bool(forKey key: String) -> Bool { converted(key, .bool) ?? false }

    /// The whole number of a key; 0 if there is none.
    public func integer(forKey key: String) -> Int { converted(key, .integer) ?? 0 }

    /// The number of a key; 0 if there is none.
    public func float(forKey key: String) -> Float { converted(key, .float) ?? 0 }

    /// The number of a key; 0 if there is none.
    public func double(forKey key: String) -> Double { converted(key, .double) ?? 0 }

    /// The date of a key; `nil` if there is none.
    public func date(forKey key: String) -> Date? { converted(key, .date) }

    /// The data of a key; `nil` if there are none.
    public func data(forKey key: String) -> Data? { converted(key, .data) }

    /// The URL of a key, or that of a path, in which `~` is the user's home folder; `nil` if there is none.
    public func url(forKey key: String) -> URL? { converted(key, .url) }

    /// The array of a key; `nil` if there is none.
    public func array(forKey key: String) -> [SettingValue]? { converted(key, .array) }

    /// The array of a key, if it has strings only; `nil` if there is none.
    public func stringArray(forKey key: String) -> [String]? { converted(key, .stringArray) }

    /// The dictionary of a key; `nil` if there is none.
    public func dictionary(forKey key: String) -> SettingValue.Entries? { converted(key, .dictionary) }

    /// The value of a key, whatever it is; `nil` if there is none.
    public func object(forKey key: String) -> SettingValue? { converted(key, .object) }

    private func converted<Value>(_ key: String, _ coercion: SettingCoercion<Value>) -> Value? {
        (try? value(forKey: key, coercedTo: coercion)) ?? nil
    }
}

extension StoreCore {
    /// The value of a key as a storage sees it, whether or not a group declares it. An explicit null is no value.
    func storedForm(ofKey key: SettingKey) throws -> SettingValue? {
        let key = log.lock.withLock { log.stored.resolved(key) }
        let found = lookUp(key)
        let value =
            try found.box.map { try $0.encoder($0.visibleValue) }
            ?? effectiveValue(at: key, own: found.stored(at: key)).0
        return value == .null ? nil : value
    }
}

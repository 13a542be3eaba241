#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes by key, one for each of the types that can be read by key. `nil` removes the value.
///
/// A declared setting accepts what it would accept from a file. All of these throw what
/// ``setValue(_:forKey:by:)-(SettingValue,String,_)`` and ``removeValue(forKey:by:)-(String,_)`` throw.
extension SettingsStore {
    /// Writes a text.
    public func setString(_ value: String?, forKey key: String, by author: String? = nil) throws {
        try setObject(value.map(SettingValue.string), forKey: key, by: author)
    }

    /// Writes a boolean.
    public func setBool(_ value: Bool?, forKey key: String, by author: String? = nil) throws {
        try setObject(value.map(SettingValue.bool), forKey: key, by: author)
    }

    /// Writes a whole number.
    public func setInteger(_ value: Int?, forKey key: String, by author: String? = nil) throws {
        try setObject(value?.settingValue(), forKey: key, by: author)
    }

    /// Writes a number, with its shortest decimal spelling: `0.1` stays `0.1`.
    public func setFloat(_ value: Float?, forKey key: String, by author: String? = nil) throws {
        try setObject(value?.settingValue(), forKey: key, by: author)
    }

    /// Writes a number.
    public func setDouble(_ value: Double?, forKey key: String, by author: String? = nil) throws {
        try setObject(value?.settingValue(), forKey: key, by: author)
    }

    /// Writes a date.
    public func setDate(_ value: Date?, forKey key: String, by author: String? = nil) throws {
        try setObject(value.map(SettingValue.date), forKey: key, by: author)
    }

    /// Writes data.
    public func setData(_ value: Data?, forKey key: String, by author: String? = nil) throws {
        try setObject(value.map(SettingValue.data), forKey: key, by: author)
    }

    /// Writes the absolute text of a URL.
    public func setURL(_ value: URL?, forKey key: String, by author: String? = nil) throws {
        try setObject(value?.settingValue(), forKey: key, by: author)
    }

    /// Writes an array.
    public func setArray(_ value: [SettingValue]?, forKey key: String, by author: String? = nil) throws {
        try setObject(value.map(SettingValue.array), forKey: key, by: author)
    }

    /// Writes an array of strings.
    public func setStringArray(_ value: [String]?, forKey key: String, by author: String? = nil) throws {
        try setArray(value?.map(SettingValue.string), forKey: key, by: author)
    }

    /// Writes a dictionary.
    public func setDictionary(_ value: SettingValue.Entries?, forKey key: String, by author: String? = nil) throws {
        try setObject(value.map(SettingValue.dictionary), forKey: key, by: author)
    }

    /// Writes any value.
    public func setObject(_ value: SettingValue?, forKey key: String, by author: String? = nil) throws {
        if let value {
            try setValue(value, forKey: key, by: author)
        } else {
            try removeValue(forKey: key, by: author)
        }
    }
}

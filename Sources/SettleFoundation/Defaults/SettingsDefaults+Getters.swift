public import Foundation
import Settle
import SettleInterchange

/// Values, from the first domain that has one, converted as by `UserDefaults`.
extension SettingsDefaults {
    /// Returns the value of a key; `nil` if there is none. Numbers are `Int`, `Double` or `Bool`, and `NSNumber` where
    /// there is an Objective-C runtime.
    public func object(forKey defaultName: String) -> Any? { value(defaultName, .object)?.object }

    /// Returns the string of a key, or its number as a string; `nil` if there is none.
    public func string(forKey defaultName: String) -> String? { value(defaultName, .string) }

    /// Returns the array of a key; `nil` if there is none.
    public func array(forKey defaultName: String) -> [Any]? {
        value(defaultName, .array)?.map(\.object)
    }

    /// Returns the dictionary of a key; `nil` if there is none.
    public func dictionary(forKey defaultName: String) -> [String: Any]? {
        value(defaultName, .dictionary)?.objects
    }

    /// Returns the data of a key; `nil` if there are none. Base64 text is data, since that is how JSON represents data.
    public func data(forKey defaultName: String) -> Data? { value(defaultName, .data) }

    /// Returns the array of a key, if it has strings only; `nil` if there is none.
    public func stringArray(forKey defaultName: String) -> [String]? { value(defaultName, .stringArray) }

    /// Returns the integer of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func integer(forKey defaultName: String) -> Int { value(defaultName, .integer) ?? 0 }

    /// Returns the number of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func float(forKey defaultName: String) -> Float { value(defaultName, .float) ?? 0 }

    /// Returns the number of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func double(forKey defaultName: String) -> Double { value(defaultName, .double) ?? 0 }

    /// Returns the Boolean value of a key: true for a number that is not 0, and for text that begins like `YES`, `true`
    /// or a number that is not 0; false if there is none.
    public func bool(forKey defaultName: String) -> Bool { value(defaultName, .bool) ?? false }

    /// Returns the URL of a key: an archived one, or that of a path, in which `~` is the home folder; `nil` if there is
    /// none. Text with a scheme, such as `https://…`, is read as a URL.
    public func url(forKey defaultName: String) -> URL? {
        value(defaultName, .object)?.convertedToURL
    }

    /// Returns all effective values, including registered defaults but without secrets.
    public func dictionaryRepresentation() -> [String: Any] { store.keys.effectiveValues.root.objects }

    /// Returns whether an administrator has locked the key.
    public func objectIsForced(forKey key: String) -> Bool {
        let key = SettingKey.path(key)
        if let setting = store.keys.setting(forKey: key.description) { return setting.lock != nil }
        return store.keys.explanation(forKey: key).answers.contains(where: \.locksKey)
    }

    /// Returns whether an administrator has locked the key, if the domain is the store's own; else false.
    public func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
        domain == domainName && objectIsForced(forKey: key)
    }

    /// Returns the converted value of a key; `nil` if it does not convert.
    func value<Value>(_ name: String, _ coercion: SettingCoercion<Value>) -> Value? {
        (try? store.keys.value(forKey: key(name), coercedTo: coercion)) ?? nil
    }
}

public import Foundation
import Settle
import SettleInterchange

/// Values, from the first domain that has one, converted as by `UserDefaults`.
extension SettingsDefaults {
    /// The value of a key; `nil` if there is none. Numbers are `Int`, `Double` or `Bool`, and `NSNumber` where there is
    /// an Objective-C runtime.
    public func object(forKey defaultName: String) -> Any? { value(defaultName, .object)?.object }

    /// The text of a key, or its number as text; `nil` if there is none.
    public func string(forKey defaultName: String) -> String? { value(defaultName, .string) }

    /// The array of a key; `nil` if there is none.
    public func array(forKey defaultName: String) -> [Any]? {
        value(defaultName, .array)?.map(\.object)
    }

    /// The dictionary of a key; `nil` if there is none.
    public func dictionary(forKey defaultName: String) -> [String: Any]? {
        value(defaultName, .dictionary)?.objects
    }

    /// The data of a key; `nil` if there are none. Text in base64 is data, since that is how JSON spells them.
    public func data(forKey defaultName: String) -> Data? { value(defaultName, .data) }

    /// The array of a key, if it has strings only; `nil` if there is none.
    public func stringArray(forKey defaultName: String) -> [String]? { value(defaultName, .stringArray) }

    /// The whole number of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func integer(forKey defaultName: String) -> Int { value(defaultName, .integer) ?? 0 }

    /// The number of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func float(forKey defaultName: String) -> Float { value(defaultName, .float) ?? 0 }

    /// The number of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func double(forKey defaultName: String) -> Double { value(defaultName, .double) ?? 0 }

    /// The truth value of a key: true for a number that is not 0, and for text that begins like `YES`, `true` or a
    /// number that is not 0; false if there is none.
    public func bool(forKey defaultName: String) -> Bool { value(defaultName, .bool) ?? false }

    /// The URL of a key: one that was archived, or that of a path, in which `~` is the home folder; `nil` if there is
    /// none. Text with a scheme, such as `https://…`, is the URL that it spells.
    public func url(forKey defaultName: String) -> URL? {
        value(defaultName, .object)?.convertedToURL
    }

    /// Every value that is in force, with registered defaults; without secrets.
    public func dictionaryRepresentation() -> [String: Any] { store.keys.effectiveValues.root.objects }

    /// Whether an administrator has locked the key.
    public func objectIsForced(forKey key: String) -> Bool {
        let key = SettingKey.path(key)
        if let setting = store.keys.setting(forKey: key.description) { return setting.lock != nil }
        return store.keys.explanation(forKey: key).answers.contains(where: \.locksKey)
    }

    /// Whether an administrator has locked the key, if the domain is the store's own; else false.
    public func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
        domain == domainName && objectIsForced(forKey: key)
    }

    /// The value of a key, converted; `nil` if it does not convert.
    func value<Value>(_ name: String, _ coercion: SettingCoercion<Value>) -> Value? {
        (try? store.keys.value(forKey: key(name), coercedTo: coercion)) ?? nil
    }
}

public import Foundation
import Settle

/// Values, from the first domain that has one, converted as by `UserDefaults`.
extension SettingsDefaults {
    /// The value of a key; `nil` if there is none. Numbers are `Int`, `Double` or `Bool`, and `NSNumber` where there is
    /// an Objective-C runtime.
    public func object(forKey defaultName: String) -> Any? { store.object(forKey: key(defaultName))?.object }

    /// The text of a key, or its number as text; `nil` if there is none.
    public func string(forKey defaultName: String) -> String? { store.string(forKey: key(defaultName)) }

    /// The array of a key; `nil` if there is none.
    public func array(forKey defaultName: String) -> [Any]? {
        store.array(forKey: key(defaultName))?.map(\.object)
    }

    /// The dictionary of a key; `nil` if there is none.
    public func dictionary(forKey defaultName: String) -> [String: Any]? {
        store.dictionary(forKey: key(defaultName))?.objects
    }

    /// The data of a key; `nil` if there are none. Text in base64 is data, since that is how JSON spells them.
    public func data(forKey defaultName: String) -> Data? { store.data(forKey: key(defaultName)) }

    /// The array of a key, if it has strings only; `nil` if there is none.
    public func stringArray(forKey defaultName: String) -> [String]? { store.stringArray(forKey: key(defaultName)) }

    /// The whole number of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func integer(forKey defaultName: String) -> Int { store.integer(forKey: key(defaultName)) }

    /// The number of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func float(forKey defaultName: String) -> Float { store.float(forKey: key(defaultName)) }

    /// The number of a key, or the one with which its text begins; 1 for true; 0 if there is none.
    public func double(forKey defaultName: String) -> Double { store.double(forKey: key(defaultName)) }

    /// The truth value of a key: true for a number that is not 0, and for text that begins like `YES`, `true` or a number
    /// that is not 0; false if there is none.
    public func bool(forKey defaultName: String) -> Bool { store.bool(forKey: key(defaultName)) }

    /// The URL of a key: one that was archived, or that of a path, in which `~` is the home folder; `nil` if there is
    /// none. Text with a scheme, such as `https://…`, is the URL that it spells.
    public func url(forKey defaultName: String) -> URL? {
        store.object(forKey: key(defaultName))?.convertedToURL
    }

    /// Every value that is in force, with registered defaults; without secrets.
    public func dictionaryRepresentation() -> [String: Any] { store.effectiveValues.root.objects }

    /// Whether an administrator has locked the key.
    public func objectIsForced(forKey key: String) -> Bool {
        let key = SettingKey.path(key)
        if let setting = store.setting(forKey: key.description) { return setting.lock != nil }
        return store.explain(key).answers.contains(where: \.locksKey)
    }

    /// Whether an administrator has locked the key, if the domain is the store's own; else false.
    public func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
        domain == domainName && objectIsForced(forKey: key)
    }
}

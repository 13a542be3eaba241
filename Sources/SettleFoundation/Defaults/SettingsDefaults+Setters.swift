public import Foundation
import Settle

/// Writes to the store's own domain. Each write is visible to all readers when it returns, and saved a moment later.
extension SettingsDefaults {
    /// Writes a property list value or a URL; `nil` removes it.
    public func set(_ value: Any?, forKey defaultName: String) {
        guard let value else { return removeObject(forKey: defaultName) }
        report { try write(try stored(value, defaultName), defaultName) }
    }

    /// Writes an integer.
    public func set(_ value: Int, forKey defaultName: String) {
        report { try store.keys.setValue(value, forKey: key(defaultName)) }
    }

    /// Writes a number, with its shortest decimal spelling.
    public func set(_ value: Float, forKey defaultName: String) {
        report { try store.keys.setValue(value, forKey: key(defaultName)) }
    }

    /// Writes a number; the same as `set(_:forKey:)`.
    public func setFloat(_ value: Float, forKey defaultName: String) { set(value, forKey: defaultName) }

    /// Writes a number.
    public func set(_ value: Double, forKey defaultName: String) {
        report { try store.keys.setValue(value, forKey: key(defaultName)) }
    }

    /// Writes a Boolean value.
    public func set(_ value: Bool, forKey defaultName: String) {
        report { try store.keys.setValue(value, forKey: key(defaultName)) }
    }

    /// Writes a URL; `nil` removes it.
    ///
    /// A file in the home folder is written as a path that begins with `~`. Every other URL is archived as data. On
    /// Apple platforms, the URL of an existing file is archived as a reference with bookmark data, which finds the file
    /// after it was moved. A declared setting of type `URL` gets the URL itself.
    public func set(_ url: URL?, forKey defaultName: String) {
        guard let url else { return removeObject(forKey: defaultName) }
        report { try write(try stored(url, defaultName), defaultName) }
    }

    /// Removes the value of a key from the store's own domain. Another domain may have a value, or a default may be
    /// registered.
    public func removeObject(forKey defaultName: String) {
        report { try store.keys.removeValue(forKey: key(defaultName)) }
    }

    /// Waits until all written values are on stable storage. Calling it is not necessary.
    ///
    /// - Returns: False if they could not be saved; `store.issues` reports the reason. They can't be saved from inside
    ///   a write.
    @discardableResult
    public func synchronize() -> Bool {
        do {
            try store.flushAndWait()
            return true
        } catch {
            report { throw error }
            return false
        }
    }

    /// Returns the stored form of a property list value, or of a URL, for a key.
    func stored(_ object: Any, _ defaultName: String) throws -> SettingValue {
        if let url = object as? URL ?? (object as? NSURL)?.absoluteURL {
            let isDeclared = store.keys.setting(forKey: key(defaultName))?.shape.kind == .url
            return isDeclared ? try SettingCodec<URL>.standard.encode(url) : try SettingValue(url)
        }
        guard let value = SettingValue(object: object) else { throw refusal(of: key(defaultName), type(of: object)) }
        return value
    }

    private func write(_ value: SettingValue, _ defaultName: String) throws {
        try store.keys.setValue(value, forKey: key(defaultName))
    }
}

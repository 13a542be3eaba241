/// The value that counts if a dictionary has a key twice.
package enum DuplicateKeyRule: Sendable, Hashable {
    /// Neither: the file is refused.
    case refused
    case first
    case last

    /// Sets the value of a key.
    ///
    /// - Returns: False if the dictionary has the key already, and that is refused.
    func set(_ value: SettingValue, forKey key: String, in entries: inout SettingValue.Entries) -> Bool {
        guard let earlier = entries.updateValue(value, forKey: key) else { return true }
        if self == .first { entries.updateValue(earlier, forKey: key) }
        return self != .refused
    }
}

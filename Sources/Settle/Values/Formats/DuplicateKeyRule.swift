/// The value that counts if a dictionary has a key twice.
package enum DuplicateKeyRule: Sendable, Hashable {
    /// Neither: the file is refused.
    case refused
    case first
    case last

    /// Sets the value of a key.
    ///
    /// - Returns: False if the dictionary has the key already, and that is refused.
    func set(
        _ value: consuming SettingValue, forKey key: consuming String, in entries: inout SettingValue.Entries
    ) -> Bool {
        let name = Name(key)
        if self == .first, entries.table.position(of: name) != nil { return true }
        return entries.table.updateValue(value, of: name) == nil || self != .refused
    }
}

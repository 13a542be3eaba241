import Settle

/// JSON Merge Patch (RFC 7396).
enum MergePatch {
    /// Returns the value after a patch. An object changes the members that it names, and null removes one; anything
    /// else replaces the value.
    static func applied(_ patch: SettingValue, to value: SettingValue?) -> SettingValue {
        guard case .dictionary(let changes) = patch else { return patch }
        var members: SettingValue.Entries = [:]
        if case .dictionary(let existing)? = value { members = existing }
        for (name, change) in changes {
            members[name] = change == .null ? nil : applied(change, to: members[name])
        }
        return .dictionary(members)
    }
}

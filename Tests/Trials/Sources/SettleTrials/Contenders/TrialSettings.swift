import Settle

/// The settings that the children write. The writers' own keys are not declared, but written by name.
struct TrialSettings: SettingsGroup {
    @Setting var left = 0
    @Setting var right = 0
    @Setting var edited = 0
    @Setting var stamp = 0
    @Setting var note = ""
    @Setting var payload = ""

    /// The declared numbers by key.
    var numbers: [String: SettingReference<Int>] {
        let all = [$left, $right, $edited, $stamp]
        return Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
    }

    /// The declared texts by key.
    var texts: [String: SettingReference<String>] {
        ["note": $note, "payload": $payload]
    }
}

/// What stands in the file of state, although the children write it in the same transactions.
struct TrialState: SettingsGroup {
    static let category = SettingsCategory.state
    @Setting var single = 0
    @Setting var counter = 0

    var numbers: [String: SettingReference<Int>] {
        Dictionary(uniqueKeysWithValues: [$single, $counter].map { ($0.key, $0) })
    }
}

import Settle

/// The settings that the children write. The writers' own keys are not declared, but written by name.
struct TrialSettings: SettingsGroup {
    @Setting var single = 0
    @Setting var left = 0
    @Setting var right = 0
    @Setting var counter = 0
    @Setting var edited = 0
    @Setting var stamp = 0
    @Setting var note = ""
    @Setting var payload = ""

    /// The declared numbers by key.
    var numbers: [String: SettingReference<Int>] {
        let all = [$single, $left, $right, $counter, $edited, $stamp]
        return Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
    }

    /// The declared texts by key.
    var texts: [String: SettingReference<String>] {
        ["note": $note, "payload": $payload]
    }
}

import Settle

/// The settings that the children write. Writers' own keys are not declared: they are written by name.
struct TrialSettings: SettingsGroup {
    @Setting var single = 0
    @Setting var left = 0
    @Setting var right = 0
    @Setting var counter = 0
    @Setting var edited = 0
    @Setting var stamp = 0
    @Setting var note = ""
    @Setting var payload = ""

    /// The declared numbers by their keys.
    var numbers: [String: SettingReference<Int>] {
        let all = [$single, $left, $right, $counter, $edited, $stamp]
        return Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
    }

    /// The declared texts by their keys.
    var texts: [String: SettingReference<String>] {
        ["note": $note, "payload": $payload]
    }
}

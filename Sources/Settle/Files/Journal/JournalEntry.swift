/// The new value of one key.
package struct JournalEntry: Sendable, Equatable {
    /// What the writer knew to be stored at the key before.
    package enum Before: Sendable, Equatable {
        case unknown
        case absent
        case value(SettingValue)
    }

    package var key: SettingKey
    /// `nil` if the key is no longer stored.
    package var value: SettingValue?
    package var before: Before

    package init(key: SettingKey, value: SettingValue?, before: Before) {
        self.key = key
        self.value = value
        self.before = before
    }
}

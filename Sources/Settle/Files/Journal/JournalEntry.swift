/// The value of one key.
package struct JournalEntry: Sendable, Equatable {
    package var key: SettingKey
    /// `nil` if nothing is stored at the key.
    package var value: SettingValue?

    package init(key: SettingKey, value: SettingValue?) {
        self.key = key
        self.value = value
    }
}

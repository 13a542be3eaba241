/// A part of a journal that was on stable storage and can't be read any more.
package struct JournalDamage: Sendable, Hashable {
    package var offset: Int
    /// The keys whose values were lost; `nil` if unknown.
    package var keys: [SettingKey]?

    package init(offset: Int, keys: [SettingKey]?) {
        self.offset = offset
        self.keys = keys
    }
}

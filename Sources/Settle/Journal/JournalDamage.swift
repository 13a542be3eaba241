/// A part of a journal that had been on stable storage and can't be read any more.
package struct JournalDamage: Sendable, Hashable {
    package var offset: Int
    /// Whose values were lost; `nil` if nobody can tell.
    package var keys: [SettingKey]?

    package init(offset: Int, keys: [SettingKey]?) {
        self.offset = offset
        self.keys = keys
    }
}

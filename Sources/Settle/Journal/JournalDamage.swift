/// A part of a journal that had been on stable storage and can't be read any more.
package struct JournalDamage: Sendable, Hashable {
    package var offset: Int
    /// Whose values were lost; `nil` if nobody can tell.
    package var keys: [String]?

    package init(offset: Int, keys: [String]?) {
        self.offset = offset
        self.keys = keys
    }
}

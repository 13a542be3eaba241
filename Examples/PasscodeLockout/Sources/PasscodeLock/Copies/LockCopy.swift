/// What one copy of a lock contains.
enum LockCopy: Sendable {
    /// Nothing was ever stored there, as far as the copy can tell.
    case empty
    case valid(LockRecord)
    /// A good record, but not the newest: the copy "has lost" later ones.
    case restored(LockRecord, String)
    /// The stored values are impossible: the copy "has another version", say.
    case unusable(String)
}

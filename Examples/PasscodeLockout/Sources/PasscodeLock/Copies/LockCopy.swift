/// What one of the places that keep a lock has to say.
enum LockCopy: Sendable {
    /// Nothing has ever been stored there, as far as it can tell.
    case empty
    case valid(LockRecord)
    /// A good record, but not the newest: it "has lost" what was stored after it.
    case restored(LockRecord, String)
    /// What is stored there can't be: it "has another version", say.
    case unusable(String)
}

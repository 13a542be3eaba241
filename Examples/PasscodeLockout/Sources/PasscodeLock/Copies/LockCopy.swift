/// What one of the places that keep a lock has to say.
enum LockCopy: Sendable {
    /// Nothing has ever been stored there, as far as it can tell.
    case empty
    case valid(LockRecord)
    /// A good record, but not the newest: what was stored after it is lost.
    case restored(LockRecord, String)
    /// What is stored there can't be; a sentence says why.
    case unusable(String)
}

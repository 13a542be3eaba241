/// The summary of a read.
struct Reading: Sendable {
    /// The revision of the read.
    var revision: Int64
    /// The newest revision of a key in it.
    var newest = Int64.max
    /// The number of keys.
    var count: Int64 = 0

    /// Returns whether all of it is known after everything up to a revision was followed. A deleted key is in no read:
    /// the number of keys reveals a deletion.
    func isReached(by followed: Int64, count: Int64) -> Bool {
        followed >= revision || (followed >= newest && count == self.count)
    }
}

/// What a read has shown.
struct Reading: Sendable {
    /// As of which revision it was.
    var revision: Int64
    /// The newest revision of a key in it.
    var newest = Int64.max
    /// How many keys there were.
    var count: Int64 = 0

    /// Whether all of it is known after everything up to a revision was followed. A deletion is at no key any more: the
    /// number of keys shows it.
    func isReached(by followed: Int64, count: Int64) -> Bool {
        followed >= revision || (followed >= newest && count == self.count)
    }
}

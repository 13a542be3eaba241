/// Decides when the journal is begun anew although no checkpoint can be made, such as while a typing error stands in
/// the file.
struct JournalGrowth: Sendable {
    /// Whether the last checkpoint could not be made.
    var lacksCheckpoint = false
    /// Beyond which size it is due again, if that is larger than other reasons make it.
    private var next = 0

    /// - Parameter limit: Beyond which size a checkpoint begins the journal anew.
    /// - Returns: Whether to try it. If it fails, the next time is when the journal is twice as long.
    mutating func isDue(at size: Int, limit: Int, fileSize: Int) -> Bool {
        guard lacksCheckpoint, size > max(16 * limit, fileSize, next) else { return false }
        next = 2 * size
        return true
    }

    /// The journal has been begun anew, with what it needs at least.
    mutating func didBegin(with size: Int) { next = 4 * size }
}

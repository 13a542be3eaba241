/// Decides when it is worthwhile to write the file, or to replace the journal: both write again what is stored already.
///
/// Pure: it is given sizes. While changes continue, the file is written, or the journal replaced, when the journal has
/// grown by a certain multiple of what that writes; so all of these writes together are at most half as long as the
/// appended data.
struct RewriteSchedule: Sendable {
    /// The number of bytes that are appended for each byte that is written again.
    private static let worthwhileGrowth = 4
    /// A file up to this size, which is the least that a disk writes, is written whenever changes have settled.
    private static let smallFile = 4 << 10

    /// Below this growth, in bytes, a journal is never replaced.
    let journalLimit: Int
    /// The growth of the journals before this one since the file was written.
    private var growthBefore = 0
    /// The size beyond which replacing the journal is tried again, after a failure.
    private var nextRenewal = 0

    init(journalLimit: Int) { self.journalLimit = journalLimit }

    // MARK: The file

    /// - Parameter growth: The growth of the journal since it was begun, or since the file was written.
    func isFileDue(for reason: CheckpointReason, size: Int, growth: Int) -> Bool {
        reason.isAtRest || reason == .settled && size <= Self.smallFile
            || growthBefore + growth >= Self.worthwhileGrowth * size
    }

    mutating func didWriteFile() { growthBefore = 0 }

    // MARK: The journal

    /// - Parameters:
    ///   - beginning: The size with which the journal was begun.
    ///   - isAtRest: Whether quick loads matter more.
    mutating func isJournalDue(_ size: Int, _ beginning: Int, _ isAtRest: Bool) -> Bool {
        let growth = isAtRest ? 1 : Self.worthwhileGrowth
        guard size - beginning > max(journalLimit, growth * beginning), size > nextRenewal else { return false }
        // If it fails, the old journal stays in use, until it is twice as long.
        nextRenewal = 2 * size
        return true
    }

    /// - Parameter growth: The growth of the previous journal, as for the file.
    mutating func didBeginJournal(growth: Int) {
        growthBefore += max(0, growth)
        nextRenewal = 0
    }
}

extension CheckpointReason {
    /// Whether no more changes are expected for a while, or a caller waits.
    var isAtRest: Bool {
        switch self {
        case .settled, .changing: false
        case .resting, .requested, .erasing, .closing: true
        }
    }
}

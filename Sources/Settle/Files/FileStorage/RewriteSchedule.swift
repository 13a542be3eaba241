/// When it is worth it to write the file, or to begin the journal anew: both write again what is stored already.
///
/// Pure: it is told sizes. While changes go on, the file is written, and the journal begun anew, when the journal has
/// grown by so many times as much as that writes; so all of these writes together are at most half as long as what is
/// appended.
struct RewriteSchedule: Sendable {
    /// How many bytes are appended for each that is written again.
    private static let worthwhileGrowth = 4
    /// A file up to this size, which is the least that a disk writes, is written whenever changes have settled.
    private static let smallFile = 4 << 10

    /// Below this growth, in bytes, a journal is never begun anew.
    let journalLimit: Int
    /// How much the journals before this one have grown since the file was written.
    private var growthBefore = 0
    /// Beyond which size beginning the journal anew is tried again, after it has failed.
    private var nextRenewal = 0

    init(journalLimit: Int) { self.journalLimit = journalLimit }

    // MARK: The file

    /// - Parameter growth: By how much the journal has grown since it was begun, or since the file was written.
    func isFileDue(for reason: CheckpointReason, size: Int, growth: Int) -> Bool {
        reason.isAtRest || reason == .settled && size <= Self.smallFile
            || growthBefore + growth >= Self.worthwhileGrowth * size
    }

    mutating func didWriteFile() { growthBefore = 0 }

    // MARK: The journal

    /// - Parameters:
    ///   - beginning: The size that the journal was begun with.
    ///   - isAtRest: Whether loads are to be quick rather.
    mutating func isJournalDue(_ size: Int, _ beginning: Int, _ isAtRest: Bool) -> Bool {
        let growth = isAtRest ? 1 : Self.worthwhileGrowth
        guard size - beginning > max(journalLimit, growth * beginning), size > nextRenewal else { return false }
        // If it fails, the old one goes on, until it is twice as long.
        nextRenewal = 2 * size
        return true
    }

    /// - Parameter growth: As for the file, of the journal before.
    mutating func didBeginJournal(growth: Int) {
        growthBefore += max(0, growth)
        nextRenewal = 0
    }
}

extension CheckpointReason {
    /// Whether no more changes are expected for a while, or somebody waits.
    var isAtRest: Bool {
        switch self {
        case .settled, .changing: false
        case .resting, .requested, .erasing, .closing: true
        }
    }
}

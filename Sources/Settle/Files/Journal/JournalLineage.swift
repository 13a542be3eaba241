/// What a journal says of those before it, so that another journal in its place can be told from a backup.
package struct JournalLineage: Sendable, Equatable {
    /// How often a process has taken a file that was not there for settings that somebody has removed.
    package var resets: UInt32
    /// How often one has been begun because the one before had been removed.
    package var restarts: UInt32
    /// Whether it was begun where there was none, and not put in the place of one.
    package var isInEmptyPlace: Bool
    /// The version of the file with which the history began.
    package var origin: FileVersion

    package init(
        resets: UInt32 = 0, restarts: UInt32 = 0, isInEmptyPlace: Bool = false, origin: FileVersion = .absent
    ) {
        self.resets = resets
        self.restarts = restarts
        self.isInEmptyPlace = isInEmptyPlace
        self.origin = origin
    }
}

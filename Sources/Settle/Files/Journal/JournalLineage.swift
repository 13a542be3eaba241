/// What a journal says of those before it, so that another journal in its place can be told from a backup.
package struct JournalLineage: Sendable, Equatable {
    /// A journal that was begun where there was none, and not put in the place of another one.
    package struct Start: Sendable, Equatable {
        package var generation: UInt64
        /// Where the history stood.
        package var position: UInt64
        package var checksum: UInt64

        package init(generation: UInt64 = 0, position: UInt64 = 0, checksum: UInt64 = 0) {
            self.generation = generation
            self.position = position
            self.checksum = checksum
        }

        func place(in history: UInt64) -> ChangeToken {
            ChangeToken(history: history, position: position, checksum: checksum)
        }
    }

    /// How often a process has taken a file that was not there for settings that somebody has removed.
    package var resets: UInt32
    /// How often one has been begun because the one before had been removed.
    package var restarts: UInt32
    /// The newest one that was begun where there was none.
    package var start: Start
    /// The version of the file with which the history began.
    package var origin: FileVersion

    package init(
        resets: UInt32 = 0, restarts: UInt32 = 0, start: Start = Start(), origin: FileVersion = .absent
    ) {
        self.resets = resets
        self.restarts = restarts
        self.start = start
        self.origin = origin
    }
}

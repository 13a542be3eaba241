/// A journal's information about those before it, which distinguishes another journal in its place from a backup.
package struct JournalLineage: Sendable, Equatable {
    /// A journal that was begun where there was none, and did not replace another one.
    package struct Start: Sendable, Equatable {
        package var generation: UInt64
        /// The position of the history.
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

    /// The number of times that a process has treated a missing file as settings that were removed on purpose.
    package var resets: UInt32
    /// The number of journals that were begun because the one before had been removed.
    package var restarts: UInt32
    /// The newest journal that was begun where there was none.
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

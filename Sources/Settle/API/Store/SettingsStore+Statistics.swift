import Synchronization

extension SettingsStore {
    /// The store's counts since it was opened, and the number of its subscribers now; all as of one moment.
    public var statistics: Statistics {
        let subscribers = log.subscribers.load(ordering: .relaxed)
        return log.lock.withLock {
            let counts = log.unsaved.counts
            return Statistics(
                changes: log.changes.revision, externalChanges: log.changes.externalCount,
                appends: counts.appends, saves: counts.saves, failedSaves: counts.failedSaves,
                failedCheckpoints: counts.failedCheckpoints, supersededValues: counts.superseded,
                subscribers: subscribers)
        }
    }

    /// Counts of what a store has done since it was opened.
    public struct Statistics: Sendable, Hashable {
        /// The number of transactions that have been published.
        public var changes: UInt64
        /// The number of these that are external; see ``ValueOrigin/external``.
        public var externalChanges: UInt64
        /// The number of times that changes were handed to the storage, which makes them survive the end of the
        /// process.
        public var appends: UInt64
        /// The number of times that changes not yet on stable storage were made stable. One save may cover many
        /// changes.
        public var saves: UInt64
        /// The number of times that the storage failed to accept or to save changes, counting each try.
        public var failedSaves: UInt64
        /// The number of times that the readable file could not be brought up to date, counting each try. Included in
        /// ``failedSaves``; the contents of the journal are safe all the same.
        public var failedCheckpoints: UInt64
        /// The number of values that could not be saved and were given up because newer ones had been stored externally
        /// by the time of the next try; see ``SettingsError/Code/superseded``.
        public var supersededValues: UInt64
        /// The number of sequences of values, changes and snapshots that are being iterated now.
        ///
        /// A sequence counts from the creation of its iterator, which a `for await` loop does at its beginning, until
        /// the loop is left, the sequence has ended, or a cancelled task has received `nil` from it.
        /// ``SettingReference/forEachLatest(_:)`` and its siblings count as one each. ``SettingsStore/issues`` and
        /// Observation do not count.
        public var subscribers: Int
    }
}

import Synchronization

extension SettingsStore {
    /// What the store has done since it was opened, and who follows it now; as it was at one moment.
    public var statistics: Statistics {
        let subscribers = log.subscribers.load(ordering: .relaxed)
        return log.lock.withLock {
            let counts = log.counts
            return Statistics(
                changes: log.revision &- log.initialRevision, externalChanges: counts.external, appends: counts.appends,
                saves: counts.saves,
                failedSaves: counts.failedSaves, failedCheckpoints: counts.failedCheckpoints,
                supersededValues: counts.superseded,
                subscribers: subscribers)
        }
    }

    /// Counts of what a store has done since it was opened.
    public struct Statistics: Sendable, Hashable {
        /// The transactions that have been published.
        public var changes: UInt64
        /// Those of them that others have made, see ``Origin/external``.
        public var externalChanges: UInt64
        /// How often the storage has been given changes, which makes them survive the end of the process.
        public var appends: UInt64
        /// How often changes that were not on stable storage have been made stable. Many changes may be one save.
        public var saves: UInt64
        /// How often the storage has failed to take or to save changes, each try counted.
        public var failedSaves: UInt64
        /// How often the file that people read could not be brought up to date, each try counted. These are among
        /// ``failedSaves``; what the journal has is safe all the same.
        public var failedCheckpoints: UInt64
        /// How many values could not be saved, and were given up because others had stored newer ones by the time in which they could
        /// have been; see ``SettingsError/Code/superseded``.
        public var supersededValues: UInt64
        /// The sequences of values, changes and snapshots that are being iterated now.
        ///
        /// One counts from the moment in which its iterator is made, as a `for await` loop does at its beginning, until the loop
        /// is left, the sequence has ended, or a cancelled task has got `nil` from it. ``SettingReference/forEachLatest(_:)`` and
        /// its siblings count as one each. ``SettingsStore/issues`` and Observation do not count.
        public var subscribers: Int
    }
}

/// What `SettingsStore.statistics` counts beside the revision.
struct LogCounts {
    var external: UInt64 = 0
    var appends: UInt64 = 0
    var saves: UInt64 = 0
    var failedSaves: UInt64 = 0
    var failedCheckpoints: UInt64 = 0
    var superseded: UInt64 = 0
}

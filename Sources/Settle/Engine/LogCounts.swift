/// The counts of `SettingsStore.statistics`, except the revision.
struct LogCounts {
    var external: UInt64 = 0
    var appends: UInt64 = 0
    var saves: UInt64 = 0
    var failedSaves: UInt64 = 0
    var failedCheckpoints: UInt64 = 0
    var superseded: UInt64 = 0
}

/// The state of saving, for `SettingsStore.status`.
enum SaveState {
    case idle
    case saving
    /// Failing since a wall time, in seconds since the reference date.
    case failing(since: Double, SettingsError)
}

/// Counts of saving, for `SettingsStore.statistics`.
struct SaveCounts {
    var appends: UInt64 = 0
    var saves: UInt64 = 0
    var failedSaves: UInt64 = 0
    var failedCheckpoints: UInt64 = 0
    var superseded: UInt64 = 0
}

/// Whether a writer has to wake the persister.
enum PersisterAttention: UInt8 {
    /// Asleep until a writer wakes it.
    case asleep
    /// Sleeps until its next check. Only changes that must not wait wake it.
    case paced
    /// It is about to check.
    case awake
}

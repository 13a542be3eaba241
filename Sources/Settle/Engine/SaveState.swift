/// The state of saving, for `SettingsStore.status`.
enum SaveState {
    case idle
    case saving
    /// Since a wall time, in seconds since the reference date.
    case failing(since: Double, SettingsError)
}

/// Whether a writer has to wake the persister.
enum PersisterAttention: UInt8 {
    /// Asleep until a writer wakes it.
    case asleep
    /// Sleeps until its next time to look. Only changes that must not wait wake it.
    case paced
    /// It is about to look.
    case awake
}

/// How saving stands, for `SettingsStore.status`.
enum SaveState {
    case idle
    case saving
    /// Since a wall time, in seconds since the reference date.
    case failing(since: Double, SettingsError)
}

/// Whether a writer has to wake the persister.
enum PersisterAttention: UInt8 {
    /// It sleeps.
    case asleep
    /// It looks again when its time has come. Only what must not wait wakes it.
    case paced
    /// It is about to look.
    case awake
}

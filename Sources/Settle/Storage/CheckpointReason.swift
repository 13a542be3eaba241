/// Why a store asks its storage for its resting form.
public enum CheckpointReason: Sendable, Hashable {
    /// Changes have settled, and more may come at any time.
    case settled
    /// Nothing has changed for so long that the cost does not matter.
    case resting
    /// A caller has asked for it and waits; see ``SettingsStore/flush(toFile:)``.
    case requested
    /// The store closes.
    case closing
}

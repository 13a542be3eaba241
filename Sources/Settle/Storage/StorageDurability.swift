/// How safe an appended batch must be when ``Storage/append(_:durability:)`` returns.
public enum StorageDurability: Sendable, Hashable {
    /// Survives the end of this process, but not necessarily that of the machine.
    case buffered
    /// On stable storage: survives a loss of power.
    case synced
}

/// The contents of a storage.
public struct StorageContents: Sendable, Hashable {
    /// The result of a load.
    ///
    /// Code that must not mistake lost settings for new ones, such as a lock that counts attempts, starts from zero
    /// only with ``absent``.
    public enum Outcome: Sendable, Hashable {
        /// As far as can be seen, nothing has ever been stored.
        case absent
        /// All that was stored was read.
        case intact
        /// The stored state is damaged. `description` says what is damaged and what is used instead.
        ///
        /// If `isComplete`, every setting still has its newest value. Otherwise some have earlier values or their
        /// defaults.
        case recovered(description: String, isComplete: Bool)
        /// The stored state has been removed, and `description` says what shows that it existed. Settings have their
        /// defaults, except for those that are stored beside it.
        case removed(description: String)
    }

    /// The values.
    public var tree: SettingTree
    /// The result of the load.
    public var outcome: Outcome
    /// The position of the storage. Matters only to a ``SharedStorage``.
    public var position: StoragePosition
    /// The token of the newest transaction in the history of the storage; `nil` if it has none, such as a file to which
    /// nothing has been written yet.
    public var token: ChangeToken?

    /// Whether the same was found, regardless of the storages' positions.
    public static func == (one: StorageContents, other: StorageContents) -> Bool {
        one.tree == other.tree && one.outcome == other.outcome
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(tree)
        hasher.combine(outcome)
    }

    /// Creates contents; by default without values, of a storage without a history.
    public init(
        tree: SettingTree = SettingTree(), outcome: Outcome, position: StoragePosition = StoragePosition(0),
        token: ChangeToken? = nil
    ) {
        self.token = token
        self.tree = tree
        self.outcome = outcome
        self.position = position
    }
}

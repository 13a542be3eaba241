/// What a storage holds.
public struct StorageContents: Sendable, Hashable {
    /// What a load found.
    ///
    /// Code that must not mistake lost settings for new ones, such as a lock with a count of attempts, starts anew only
    /// with ``absent``.
    public enum Outcome: Sendable, Hashable {
        /// Nothing has ever been stored, as far as can be seen.
        case absent
        /// All that was stored was read.
        case intact
        /// What was stored is damaged. `description` says what is damaged and what is used instead.
        ///
        /// With `isComplete` every setting still has its newest value. Otherwise some have earlier values or their
        /// defaults.
        case recovered(description: String, isComplete: Bool)
        /// What was stored has been removed, and `description` says what shows that it existed. Settings have their
        /// defaults, except for those that are stored beside it.
        case removed(description: String)
    }

    /// The values.
    public var tree: SettingTree
    /// What the load found.
    public var outcome: Outcome
    /// Where the storage is. Matters only to a ``SharedStorage``.
    public var position: StoragePosition
    /// The place of the newest transaction in the history of the storage; `nil` if it has none, such as a file to which
    /// nothing has been written yet.
    public var token: ChangeToken?

    /// Whether the same was found, wherever the storages were.
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

/// What a storage holds.
public struct StorageContents: Sendable, Hashable {
    /// What a load has made of what is there.
    ///
    /// Whoever must not take lost settings for new ones, such as a lock with a count of attempts, begins anew with
    /// ``absent`` alone.
    public enum Outcome: Sendable, Hashable {
        /// Nothing has ever been stored, as far as anything shows.
        case absent
        /// All that was stored was read.
        case intact
        /// What was stored is damaged: `description` says where it was put aside and what is used instead.
        ///
        /// With `isComplete` every setting has its newest value all the same. Otherwise some have earlier values or their
        /// defaults.
        case recovered(description: String, isComplete: Bool)
        /// What was stored has been taken away, and `description` says what shows that it was there. Settings have their
        /// defaults, except for those that are stored beside it.
        case removed(description: String)
    }

    public var tree: SettingTree
    public var outcome: Outcome

    public init(tree: SettingTree = SettingTree(), outcome: Outcome) {
        self.tree = tree
        self.outcome = outcome
    }
}

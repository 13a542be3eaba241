/// What a storage holds.
public struct StorageContents: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        /// Nothing has been stored yet.
        case absent
        /// All that was stored was read.
        case intact
        /// What was stored is damaged: `description` says where it was put aside and what is used instead.
        case recovered(description: String)
    }

    public var tree: SettingTree
    public var outcome: Outcome

    public init(tree: SettingTree = SettingTree(), outcome: Outcome) {
        self.tree = tree
        self.outcome = outcome
    }
}

/// A change of stored values that somebody else has made.
public struct ExternalChange: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        /// These keys have new values; `nil` means that a key is no longer stored.
        case values([SettingKey: SettingValue?])
        /// Everything is as in this tree, with the store's own batches in it.
        case everything(SettingTree)
        /// What stands there can't be used, and will not be overwritten while it stands there. The error says why.
        case unusable(StorageError)
    }

    public var content: Content
    /// By whom, if that is known: the name that the writer gave its transaction.
    public var writer: String?

    public init(_ content: Content, writer: String? = nil) {
        self.content = content
        self.writer = writer
    }
}

extension ExternalChange {
    /// Makes the change in a tree.
    package func apply(to tree: inout SettingTree) {
        switch content {
        case .values(let values): tree.apply(values)
        case .everything(let everything): tree = everything
        case .unusable: break
        }
    }

    /// Puts later values of some keys over this change, so that it may still be taken in after them.
    package mutating func overwrite(_ values: [SettingKey: SettingValue?]) {
        switch content {
        case .values(var changed):
            for (key, value) in values {
                if changed[key] != nil { changed.updateValue(value, forKey: key) }
                for inner in changed.keys where key.contains(inner) { changed.removeValue(forKey: inner) }
                for outer in changed.keys where outer.contains(key) {
                    var tree = SettingTree()
                    tree[outer] = changed[outer] ?? nil
                    tree[key] = value
                    changed.updateValue(tree[outer], forKey: outer)
                }
            }
            content = .values(changed)
        case .everything(var tree):
            tree.apply(values)
            content = .everything(tree)
        case .unusable: break
        }
    }
}

extension [ExternalChange] {
    /// Makes the changes in a tree, in order.
    func apply(to tree: inout SettingTree) {
        for change in self { change.apply(to: &tree) }
    }

    /// What they leave at a key that had a value before.
    func value(at key: SettingKey, over before: SettingValue?) -> SettingValue? {
        guard !isEmpty else { return before }
        var tree = SettingTree()
        tree[key] = before
        apply(to: &tree)
        return tree[key]
    }
}

/// The changes that others have stored after a position.
public struct StorageChanges: Sendable, Hashable {
    /// The changes, oldest first.
    public var changes: [ExternalChange]
    /// The position after the last of them.
    public var position: StoragePosition

    /// Creates the result of a storage; without changes, if others have stored nothing since.
    public init(_ changes: [ExternalChange], position: StoragePosition) {
        self.changes = changes
        self.position = position
    }
}

/// A change of stored values made by another process or store, or by a batch of the store itself whose answer was lost.
public struct ExternalChange: Sendable, Hashable {
    /// A storage's knowledge of a change.
    public enum Content: Sendable, Hashable {
        /// These keys have new values; `nil` means that a key is no longer stored.
        case values([SettingKey: SettingValue?])
        /// All values are as in this tree, which includes the store's own batches.
        case everything(SettingTree)
        /// The stored state can't be used, and is not overwritten as long as it is there. The error gives the reason.
        case unusable(StorageError)
    }

    /// The content of the change.
    public var content: Content
    /// The author of the transaction, if known.
    public var author: String?
    /// The token of the change in the history of the storage; `nil` if it has none, or if the change is the sum of
    /// several transactions.
    public var token: ChangeToken?
    /// The store's own batch that has made the change, if the store does not know that it was stored: its append has
    /// failed with ``StorageError/isOutcomeUnknown`` and was not repeated. `nil` for the changes of others.
    public var batch: StorageBatch.ID?
    /// Whether a migration has made it.
    var isMigration = false

    /// Creates a change; by default without an author and without a token.
    public init(
        _ content: Content, author: String? = nil, token: ChangeToken? = nil, batch: StorageBatch.ID? = nil
    ) {
        self.content = content
        self.author = author
        self.token = token
        self.batch = batch
    }
}

extension ExternalChange {
    /// Whether the same has changed, wherever in a history.
    public static func == (one: ExternalChange, other: ExternalChange) -> Bool {
        one.content == other.content && one.author == other.author && one.batch == other.batch
            && one.isMigration == other.isMigration
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(content)
        hasher.combine(author)
        hasher.combine(batch)
        hasher.combine(isMigration)
    }

    /// Applies the change to a tree.
    public func apply(to tree: inout SettingTree) {
        switch content {
        case .values(let values): tree.apply(values)
        case .everything(let everything): tree = everything
        case .unusable: break
        }
    }

    /// Overwrites this change with later values of some keys, so that it can still be merged after them.
    public mutating func overwrite(_ values: [SettingKey: SettingValue?]) {
        switch content {
        case .values(var changed):
            for key in changed.keys {
                if let value = values[key] {
                    changed.updateValue(value, forKey: key)
                } else if key.parents.contains(where: { values[$0] != nil }) {
                    changed.removeValue(forKey: key)
                }
            }
            for (outer, keys) in values.keys.grouped(within: { changed[$0] != nil }) {
                var tree = SettingTree()
                tree[outer] = changed.removeValue(forKey: outer) ?? nil
                for key in keys.sorted() { tree[key] = values[key] ?? nil }
                changed.updateValue(tree[outer], forKey: outer)
            }
            content = .values(changed)
        case .everything(var tree):
            tree.apply(values)
            content = .everything(tree)
        case .unusable: break
        }
    }

    /// Returns the values at some keys after this change, given the values that were stored before. Scans the change
    /// once, not once per key.
    package func values(
        at keys: some Collection<SettingKey>, over before: [SettingKey: SettingValue]
    ) -> [SettingKey: SettingValue] {
        var result = before
        switch content {
        case .unusable: break
        case .everything(let tree):
            for key in keys { result[key] = tree[key] }
        case .values(let changed):
            let wanted = Set(keys)
            let within = changed.keys.grouped(within: wanted.contains)
            for key in wanted { result[key] = Self.value(at: key, in: changed, and: within[key], over: before[key]) }
        }
        return result
    }

    private static func value(
        at key: SettingKey, in changed: [SettingKey: SettingValue?], and within: [SettingKey]?,
        over before: SettingValue?
    ) -> SettingValue? {
        var value = before
        if let new = changed[key] {
            value = new
        } else if let outer = key.parents.last(where: { changed[$0] != nil }), let rest = outer.rest(of: key) {
            if case .dictionary(let values)?? = changed[outer] {
                value = SettingTree(values)[rest]
            } else {
                value = nil
            }
        }
        guard let within else { return value }
        var tree = SettingTree()
        tree[key] = value
        for inner in within.sorted() { tree[inner] = changed[inner] ?? nil }
        return tree[key]
    }
}

extension Collection<SettingKey> {
    /// Groups the keys that lie within other keys by these outer keys.
    func grouped(within isWanted: (SettingKey) -> Bool) -> [SettingKey: [SettingKey]] {
        var groups: [SettingKey: [SettingKey]] = [:]
        for key in self {
            for parent in key.parents where isWanted(parent) { groups[parent, default: []].append(key) }
        }
        return groups
    }
}

extension [ExternalChange] {
    /// Adds a change that was stored after these.
    ///
    /// - Parameter isOwn: Whether the store knows it already. Then it only replaces the values that it has overwritten.
    package mutating func add(_ next: ExternalChange, isOwn: Bool) {
        guard isOwn else { return append(next) }
        guard case .values(let values) = next.content else { return }
        for index in indices { self[index].overwrite(values) }
        removeAll { $0.content == .values([:]) }
    }

    /// Applies the changes to a tree, in order.
    func apply(to tree: inout SettingTree) {
        for change in self { change.apply(to: &tree) }
    }

    /// Returns the values at some keys after these changes, given the values that were stored before.
    func values(
        at keys: some Collection<SettingKey>, over before: [SettingKey: SettingValue]
    ) -> [SettingKey: SettingValue] {
        reduce(before) { $1.values(at: keys, over: $0) }
    }
}

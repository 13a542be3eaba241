import Settle
import SettleInterchange

extension Invocation {
    /// Refuses values that the program would refuse: each value of a dictionary at a group is compared with its own
    /// declaration.
    ///
    /// - Parameter stored: The values into which the value is inserted, if its key is within a setting.
    func check(
        _ value: SettingValue, at key: SettingKey, _ declared: DeclaredSettings, in stored: SettingTree = SettingTree()
    ) throws(CommandFailure) {
        // A program's own store refuses owner-only keys, but does not show the owner-only part of a group.
        if isTool || declared.isGroup(key) { try declared.checkAccess(to: key) }
        if let (setting, spelling) = declared.declaration(around: key) {
            // A program's own store reports more.
            guard isTool, !has(.force) else { return }
            var tree = stored
            tree[key] = value
            guard let refusal = setting.refusal(of: tree[spelling] ?? value) else { return }
            throw CommandFailure(.refused, refusal)
        } else if declared.isGroup(key) {
            guard case .dictionary(let entries) = value else {
                throw CommandFailure(
                    .refused,
                    "“\(key)” is a group of settings: its value must be a dictionary, such as '{ name = value; }'.")
            }
            for (name, value) in entries.sortedByKey() {
                try check(value, at: key.appending(component: name), declared, in: stored)
            }
        } else if !declared.isEmpty, !has(.force) {
            throw declared.unknown(key)
        }
    }

    /// Refuses to store a secret where nothing declares that it is one.
    func checkSecrets(
        from old: SettingKey, to new: SettingKey, in stored: SettingTree, _ declared: DeclaredSettings
    ) throws(CommandFailure) {
        for secret in declared.secretKeys.sorted() where stored[secret] != nil {
            let moved: SettingKey
            if secret == old || secret.contains(old) {
                moved = new
            } else if secret.isWithin(old) {
                moved = secret.components.dropFirst(old.components.count).reduce(new) {
                    $0.appending(component: $1)
                }
            } else {
                continue
            }
            guard !declared.isSecret(moved) else { continue }
            throw CommandFailure(
                .refused, "“\(secret)” is a secret, and “\(moved)” is not: its value would be visible there.")
        }
    }
}

extension DeclaredSettings {
    /// Refuses a key that only its owner may write.
    func checkAccess(to key: SettingKey) throws(CommandFailure) {
        guard let setting = related(to: key).first(where: \.isOwners) else { return }
        throw CommandFailure(.locked, "“\(setting.key)” belongs to its owner: only the program itself may change it.")
    }

    /// Returns the values that are stored for a value: for that of a group one for each setting, since each has its own
    /// rule, and for a part of a setting the whole of it. A program's own store writes neither groups nor parts. The
    /// secrets of a group stay if the dictionary does not name them: its author has not seen them.
    ///
    /// - Parameters:
    ///   - value: The new value; `nil` to remove it.
    ///   - stored: The values that are replaced.
    /// - Returns: The values, `nil` for those that are removed, which come first.
    func parts(
        of value: SettingValue?, at key: SettingKey, replacing stored: SettingTree
    ) -> [(key: SettingKey, value: SettingValue?)] {
        guard isGroup(key) else {
            guard let (_, setting) = declaration(around: key), setting != key else { return [(key, value)] }
            var tree = stored
            tree[key] = value
            return [(setting, tree[setting])]
        }
        var (old, new) = (SettingTree(), SettingTree())
        (old[key], new[key]) = (stored[key], value)
        guard value != nil else {
            let leaves = old.leaves(within: self)
            // A file may have a name that no key can have. Then only the whole can be removed.
            return leaves.contains(where: \.hasEmptyName) ? [(key, nil)] : leaves.map { ($0, nil) }
        }
        // A setting of the group that is stored under a name with dots may lie outside of its dictionary.
        let related = related(to: key)
        for setting in related where setting.key.isWithin(key) {
            for spelling in spellings(of: setting) where !spelling.isWithin(key) {
                if let value = stored[spelling] { old[spelling] = value }
            }
        }
        new = respelled(new, as: stored, of: related)
        var parts: [(key: SettingKey, value: SettingValue?)] = []
        for leaf in old.leaves(within: self) where leaf != key && new[leaf] == nil && !isSecret(leaf) {
            parts.append((leaf, nil))
        }
        for leaf in new.leaves(within: self) where leaf != key { parts.append((leaf, new[leaf])) }
        return parts
    }

    /// Returns the values without secrets and without what is its owner's.
    func withoutProtected(_ values: SettingTree) -> SettingTree {
        let hidden = all.filter { $0.isSecret || $0.isOwners }.flatMap { spellings(of: $0) }
        return hidden.reduce(into: values) { $0[$1] = nil }
    }
}

extension SettingsStore.Keys {
    /// Stores a value, or removes the value at exactly this key if it is `nil`.
    func replaceValue(with value: SettingValue?, forKey key: SettingKey) throws {
        guard let value else { return try removeValue(storedAt: key) }
        try setValue(value, forKey: key)
    }
}

extension SettingsStore {
    /// Returns the value in the application's own file, even if another one is in force.
    func ownValue(forKey key: SettingKey) -> SettingValue? {
        keys.explanationWithoutPlaces(forKey: key).answers.first { $0.domain == .application }?.value
    }
}

/// Everything stored at a path.
extension SettingsStore.Keys {
    /// Returns the names at a path under which a dictionary is stored, sorted: groups, declared or not, and settings
    /// whose value is a dictionary or a struct. An empty path is the top level.
    ///
    /// ```swift
    /// for name in store.keys.groupNames(at: "accounts") {
    ///     let account = try await store.group(Account.self, at: .path("accounts", name))
    /// }
    /// ```
    public func groupNames(at path: some SettingKeyConvertible = "") -> [String] {
        store.core.groupNames(at: SettingKey(path: path))
    }

    /// Removes everything stored at and within a path, in one transaction: the settings of a group, in use or not,
    /// return to their defaults, and keys that no group declares are removed.
    ///
    /// - Returns: The number of values that were stored there.
    /// - Throws: ``SettingsError`` if a setting there is owner-only (``SettingsAccess/owner``), if the path lies within
    ///   the value of a setting, if more values are stored than the storage can change at once, or if the store is
    ///   closed. Then nothing is removed.
    @discardableResult
    public func removeAll(at path: some SettingKeyConvertible, author: String? = nil) throws -> Int {
        try store.open(key: path.description).removeAll(at: SettingKey(given: path), author: author)
    }
}

extension StoreCore {
    fileprivate func groupNames(at path: SettingKey?) -> [String] {
        let tree = ownTree(at: path)
        guard case .dictionary(let root)? = path.map({ tree[$0] }) ?? .dictionary(tree.root) else { return [] }
        return root.sortedByKey().compactMap { name, value in
            if case .dictionary = value { name } else { nil }
        }
    }

    fileprivate func removeAll(at path: SettingKey, author: String?) throws -> Int {
        try path.check(for: "removeAll(at:)")
        return try transact(origin: .reset, author: author) {
            let stored = ownTree(at: path)[path]
            let count = stored.map { SettingTree([path.name: $0]).leafKeys.count } ?? 0
            let slots = log.lock.withLock { log.stored.slots.within(path).filter { $0.declaration != nil } }
            guard !slots.isEmpty, log.lock.withLock({ log.stored.slots[path] == nil }) else {
                try stageRemoval(of: path)
                return count
            }
            if let owned = slots.filter({ $0.access == .owner }).min(by: { $0.key < $1.key }) {
                throw SettingsError.protected(path, by: owned.key, owned.declaration ?? "")
            }
            for slot in slots where slot.box?.isResettable == true { slot.box?.stageDefault() }
            // Stored values that belong to no setting.
            guard case .dictionary(let entries)? = stored else { return count }
            let known = Set(slots.map(\.key))
            for inner in SettingTree(entries).leafKeys {
                let key = path.appending(inner)
                guard !known.contains(key), !key.parents.contains(where: known.contains) else { continue }
                try stageRemoval(of: key)
            }
            return count
        }
    }
}

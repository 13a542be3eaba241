extension SettingsMigration {
    /// Gives a setting another key.
    ///
    /// If the new key already has a value, that value stays, since only a program that knows the key has written it.
    ///
    /// - Parameters:
    ///   - key: The old key.
    ///   - new: The new key.
    ///   - name: The step's name. Default: "rename" and both keys.
    public static func rename(_ key: SettingKey, to new: SettingKey, name: String? = nil) -> SettingsMigration {
        SettingsMigration(name ?? "rename \(key) to \(new)", renamed: (key, new)) { tree in
            guard let value = tree.take(key) else { return }
            if tree[tree.location(of: new)] == nil { tree[new] = value }
        }
    }

    /// Moves a group, and everything else below its path, to another path.
    ///
    /// Values already at the new path stay: they win key by key, whichever names of a key are joined by dots.
    ///
    /// - Parameters:
    ///   - path: The old path.
    ///   - new: The new path.
    ///   - name: The step's name. Default: "move" and both paths.
    public static func move(_ path: SettingKey, to new: SettingKey, name: String? = nil) -> SettingsMigration {
        SettingsMigration(name ?? "move \(path) to \(new)", renamed: (path, new)) { tree in
            guard let values = tree.takeAll(at: path) else { return }
            let present = tree.takeAll(at: new)
            tree[new] = present.map { (values.removing(keysOf: $0) ?? $0).merged(under: $0) } ?? values
        }
    }

    /// Removes a setting, or a group with everything below its path.
    ///
    /// - Parameters:
    ///   - key: The key or path.
    ///   - name: The step's name. Default: "remove" and the key.
    public static func remove(_ key: SettingKey, name: String? = nil) -> SettingsMigration {
        SettingsMigration(name ?? "remove \(key)") { _ = $0.takeAll(at: key) }
    }

    /// Converts a setting's value to another type.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - old: The type of the stored value. A value that is not of this type fails the migration.
    ///   - new: The type to store.
    ///   - name: The step's name. Default: "convert" and the key. A second conversion of the key needs another name.
    ///   - transform: Converts a value. An error that it throws fails the migration.
    public static func convert<Old: Codable & Sendable, New: Codable & Sendable>(
        _ key: SettingKey, from old: Old.Type, to new: New.Type, name: String? = nil,
        _ transform: @escaping @Sendable (Old) throws -> New
    ) -> SettingsMigration {
        SettingsMigration(name ?? "convert \(key)") { tree in
            guard let value = try tree.value(old, forKey: key) else { return }
            try MigrationFailure.naming(key) { try tree.setValue(try transform(value), forKey: key) }
        }
    }

    /// Splits a setting's value into several.
    ///
    /// - Parameters:
    ///   - key: The key, which is removed.
    ///   - old: The type of the stored value. A value that is not of this type fails the migration.
    ///   - name: The step's name. Default: "split" and the key.
    ///   - transform: Returns the new values by their keys, which may include the old key. An error that it throws
    ///     fails the migration.
    public static func split<Old: Codable & Sendable>(
        _ key: SettingKey, from old: Old.Type, name: String? = nil,
        _ transform: @escaping @Sendable (Old) throws -> [SettingKey: any Codable & Sendable]
    ) -> SettingsMigration {
        SettingsMigration(name ?? "split \(key)") { tree in
            guard let value = try tree.value(old, forKey: key) else { return }
            _ = tree.take(key)
            let parts = try MigrationFailure.naming(key) { try transform(value) }
            for (key, part) in parts.sorted(by: \.key) { try tree.setValue(part, forKey: key) }
        }
    }

    /// Merges the values of several settings into one.
    ///
    /// - Parameters:
    ///   - keys: The keys, which are removed. If none of them has a value, the step does nothing.
    ///   - new: The key of the new value.
    ///   - name: The step's name. Default: "merge" and the keys.
    ///   - transform: Returns the new value from the tree before the step, in which some of the keys may be missing;
    ///     `nil` stores no value. An error that it throws fails the migration.
    public static func merge<New: Codable & Sendable>(
        _ keys: [SettingKey], to new: SettingKey, name: String? = nil,
        _ transform: @escaping @Sendable (SettingTree) throws -> New?
    ) -> SettingsMigration {
        let list = keys.map(\.description).joined(separator: ", ")
        return SettingsMigration(name ?? "merge \(list) to \(new)") { tree in
            guard keys.contains(where: { tree[tree.location(of: $0)] != nil }) else { return }
            let value = try MigrationFailure.naming(new) { [tree] in try transform(tree) }
            for key in keys { _ = tree.take(key) }
            if let value { try tree.setValue(value, forKey: new) }
        }
    }
}

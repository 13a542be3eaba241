#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Export and import of a whole store.
extension SettingsStore {
    /// The treatment of values in the store that are missing from the imported data.
    public enum ImportMode: Sendable, Hashable {
        /// They stay.
        case merge
        /// Settings return to their defaults, and keys that no group declares are removed. Secrets and owner-only
        /// settings stay, because an export leaves them out.
        case replace
    }

    /// The treatment of keys in the data that no group has declared.
    public enum UnknownKeys: Sendable, Hashable {
        /// They are imported as they are, for a group that is opened later.
        case keep
        /// Nothing is imported.
        case refuse
    }
}

extension SettingsStore.File {
    /// Exports everything that is stored or waits to be saved, as of one moment and as a file would have it: including
    /// keys that no group declares, but not settings that have their default only because nothing is stored.
    ///
    /// Owner-only settings (``SettingsAccess/owner``), which no import accepts, are left out, and so are secrets,
    /// unless they are requested. Settings of the secret store (``SettingStorage/secrets``) are left out even then. A
    /// store knows a secret by its declaration: **open all groups first**. Values stored for a group that has not been
    /// opened yet are exported as they are.
    ///
    /// - Parameters:
    ///   - format: The format of the data.
    ///   - includesSecrets: Whether to include secrets, in clear text.
    /// - Throws: ``SettingsError`` if a value can't be encoded or the format can't hold one, or if the store is closed.
    public func export(as format: FileFormat = .json, includingSecrets includesSecrets: Bool = false) async throws
        -> Data
    {
        let tree = try await exportedValues(includingSecrets: includesSecrets)
        do {
            return Data(try format.encode(tree))
        } catch {
            throw SettingsError(
                .encodingFailed, "The settings can't be exported as \(format): \(error)", underlying: error)
        }
    }

    /// Returns the values of an export with all their types, whether or not a format can hold them.
    package func exportedValues(includingSecrets includesSecrets: Bool) async throws -> SettingTree {
        let core = try store.open()
        var tree = try await core.persister.everything()
        let hidden = core.log.lock.withLock { () -> [SettingKey] in
            let slots = core.log.stored.slots
            // Export only values in force, and leave out hidden settings under every spelling of their keys.
            let declared =
                slots.all.filter {
                    $0.access == .owner || $0.isStoredInSecrets || ($0.isSecret && !includesSecrets)
                }.flatMap(slots.places) + slots.knownSpellings
            return declared + core.log.stored.keysStoredApart
        }
        for key in hidden { tree[key] = nil }
        return tree
    }

    /// Imports data written by ``export(as:includingSecrets:)``, or by hand, in one transaction.
    ///
    /// Each value is checked as if read from a file: it must convert to the setting's type and follow its rules. Either
    /// everything is imported or nothing. Owner-only settings can't be imported: data that contains one is refused,
    /// whatever the value. As after `update`, the change is saved a moment later; ``SettingsStore/flush()`` waits for
    /// that.
    ///
    /// ```swift
    /// let backup = try await store.file.export()
    /// try store.file.import(backup, .replace, unknownKeys: .refuse)
    /// ```
    ///
    /// - Parameters:
    ///   - data: The values, nested as in a file.
    ///   - format: The format of the data. By default detected from its beginning.
    ///   - mode: The treatment of values that are missing from the data.
    ///   - unknownKeys: The treatment of keys in the data that no group has declared since the store was opened.
    ///   - author: The name for ``Change/author``.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/importRefused`` if the data can't be read, or if a value
    ///   or a key is refused: ``SettingsError/problems`` has an error for each such key. Nothing has changed then. And
    ///   ``SettingsError`` if the store is closed.
    public func `import`(
        _ data: Data, as format: FileFormat? = nil, _ mode: SettingsStore.ImportMode = .merge,
        unknownKeys: SettingsStore.UnknownKeys = .keep,
        author: String? = nil
    ) throws {
        let core = try store.open()
        let tree: SettingTree
        do {
            let bytes = [UInt8](data)
            tree = try (format ?? FileFormat.detect(bytes) ?? .json).decode(bytes)
        } catch {
            throw SettingsError(
                .importRefused, "Nothing was imported, because the data can't be read: \(error)", underlying: error)
        }
        try core.import(tree, mode, unknownKeys: unknownKeys, author: author)
    }

    /// Imports values, such as those of another program, in one transaction, as ``import(_:as:_:unknownKeys:author:)``
    /// does.
    ///
    /// - Parameters:
    ///   - tree: The values.
    ///   - mode: The treatment of values that are missing from the tree.
    ///   - unknownKeys: The treatment of keys in the tree that no group has declared since the store was opened.
    ///   - author: The name for ``Change/author``.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/importRefused`` if a value or a key is refused:
    ///   ``SettingsError/problems`` has an error for each such key. Nothing has changed then. And ``SettingsError`` if
    ///   the store is closed.
    public func `import`(
        _ tree: SettingTree, _ mode: SettingsStore.ImportMode = .merge, unknownKeys: SettingsStore.UnknownKeys = .keep,
        author: String? = nil
    ) throws {
        try store.open().import(tree, mode, unknownKeys: unknownKeys, author: author)
    }
}

extension StoreCore {
    fileprivate func `import`(
        _ tree: SettingTree, _ mode: SettingsStore.ImportMode, unknownKeys: SettingsStore.UnknownKeys,
        author: String?
    ) throws {
        var tree = tree
        // A settings file, unlike an export, has it.
        _ = MigrationRecord(takenFrom: &tree)
        try transact(origin: .local, author: author) {
            let own = mode == .replace ? ownTree() : nil
            let plan = log.lock.withLock {
                ImportPlan(tree, refusingUnknown: unknownKeys == .refuse, replacing: own, in: log.stored)
            }
            var problems: [SettingsError] = []
            for steps in [plan.writes, plan.removals] where problems.isEmpty {
                for step in steps {
                    do {
                        if step.isRefused { throw SettingsError.unknownKey(step.key) }
                        if let value = step.value {
                            try setValue(value, forKey: step.key, author: author)
                        } else {
                            try removeValue(storedAt: step.key, author: author)
                        }
                    } catch let error as SettingsError {
                        problems.append(error)
                    } catch {
                        // An app's codec may throw anything.
                        problems.append(SettingsError(.unusableValue, "\(error)", underlying: error))
                    }
                }
            }
            if !problems.isEmpty { throw SettingsError.several(.importRefused, "Nothing was imported.", problems) }
        }
    }
}

extension SettingsError {
    fileprivate static func unknownKey(_ key: SettingKey) -> SettingsError {
        SettingsError(.unknownKey, "“\(key)” is not a setting of any group that has been opened.", key: key.description)
    }
}

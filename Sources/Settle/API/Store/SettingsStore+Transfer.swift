#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Export and import of a whole store.
extension SettingsStore {
    /// What happens to values in the store that are missing from the imported data.
    public enum ImportMode: Sendable, Hashable {
        /// They stay.
        case merge
        /// Settings return to their defaults, and keys that no group declares are removed. Secrets and the settings of
        /// owner's groups stay, because an export leaves them out.
        case replace
    }

    /// What happens to keys in the data that no group has declared.
    public enum UnknownKeys: Sendable, Hashable {
        /// They are imported as they are, for a group that is opened later.
        case keep
        /// Nothing is imported.
        case refuse
    }
}

extension SettingsStore.File {
    /// Everything that is stored or waits to be saved, as of one moment and as a file would have it: including keys
    /// that no group declares, but not settings that have their default only because nothing is stored.
    ///
    /// Left out are the settings of groups that are their owner's (``SettingsAccess/owner``), which no import accepts,
    /// and secrets, unless asked for. A store knows a secret by its declaration: **open all groups first**. What is
    /// stored for a group that has not been opened yet is exported as it is.
    ///
    /// - Parameters:
    ///   - format: How the data is spelled.
    ///   - includesSecrets: Whether to include secrets, in clear text.
    /// - Throws: ``SettingsError`` if a value can't be encoded or the format can't hold one, or if the store is closed.
    public func export(as format: FileFormat = .json, includingSecrets includesSecrets: Bool = false) async throws
        -> Data
    {
        Data(try await store.open().export(as: format, includingSecrets: includesSecrets))
    }

    /// Imports data written by ``export(as:includingSecrets:)``, or by hand, in one transaction.
    ///
    /// Each value is checked as if read from a file: it must convert to the setting's type and follow its rules. Either
    /// everything is imported or nothing. Settings of groups that are their owner's can't be imported: data that
    /// contains one is refused, whatever the value. As after `update`, the change is saved a moment later;
    /// ``SettingsStore/flush()`` waits for that.
    ///
    /// ```swift
    /// let backup = try await store.file.export()
    /// try store.file.import(backup, .replace, unknownKeys: .refuse)
    /// ```
    ///
    /// - Parameters:
    ///   - data: The values, nested as in a file.
    ///   - format: How the data is spelled. By default detected from its beginning.
    ///   - mode: What happens to values that are missing from the data.
    ///   - unknownKeys: What happens to keys in the data that no group has declared since the store was opened.
    ///   - author: The name for ``Change/author``.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/importRefused`` if the data can't be read, or if a value
    ///   or a key is refused: ``SettingsError/problems`` has an error for each such key. Nothing has changed then. And
    ///   ``SettingsError`` if the store is closed.
    public func `import`(
        _ data: Data, as format: FileFormat? = nil, _ mode: SettingsStore.ImportMode = .merge,
        unknownKeys: SettingsStore.UnknownKeys = .keep,
        author: String? = nil
    ) throws {
        try store.open().import([UInt8](data), as: format, mode, unknownKeys: unknownKeys, author: author)
    }

    /// Imports values, such as those of another program, in one transaction, as ``import(_:as:_:unknownKeys:author:)`` does.
    ///
    /// - Parameters:
    ///   - tree: The values.
    ///   - mode: What happens to values that are missing from the tree.
    ///   - unknownKeys: What happens to keys in the tree that no group has declared since the store was opened.
    ///   - author: The name for ``Change/author``.
    /// - Throws: ``SettingsError`` with ``SettingsError/Code/importRefused`` if a value or a key is refused:
    ///   ``SettingsError/problems`` has an error for each such key. Nothing has changed then. And ``SettingsError`` if the
    ///   store is closed.
    public func `import`(
        _ tree: SettingTree, _ mode: SettingsStore.ImportMode = .merge, unknownKeys: SettingsStore.UnknownKeys = .keep,
        author: String? = nil
    ) throws {
        try store.open().import(tree, mode, unknownKeys: unknownKeys, author: author)
    }
}

extension StoreCore {
    fileprivate func export(
        as format: FileFormat, includingSecrets includesSecrets: Bool
    ) async throws(SettingsError) -> [UInt8] {
        var tree = try await persister.everything()
        let hidden = log.lock.withLock {
            // Export only values in force, and leave out hidden settings under every spelling of their keys.
            log.stored.slots.all.filter { $0.access == .owner || ($0.isSecret && !includesSecrets) }
                .flatMap(log.stored.slots.places) + log.stored.slots.knownSpellings
        }
        for key in hidden { tree[key] = nil }
        do {
            return try format.encode(tree)
        } catch {
            throw SettingsError(
                .encodingFailed, "The settings can't be exported as \(format): \(error)", underlying: error)
        }
    }

    fileprivate func `import`(
        _ bytes: [UInt8], as format: FileFormat?, _ mode: SettingsStore.ImportMode,
        unknownKeys: SettingsStore.UnknownKeys, author: String?
    ) throws {
        let tree: SettingTree
        do {
            tree = try (format ?? FileFormat.detect(bytes) ?? .json).decode(bytes)
        } catch {
            throw SettingsError(
                .importRefused, "Nothing was imported, because the data can't be read: \(error)", underlying: error)
        }
        try `import`(tree, mode, unknownKeys: unknownKeys, author: author)
    }

    fileprivate func `import`(
        _ tree: SettingTree, _ mode: SettingsStore.ImportMode, unknownKeys: SettingsStore.UnknownKeys,
        author: String?
    ) throws {
        var tree = tree
        // A settings file, rather than an export, has it.
        _ = MigrationRecord(takenFrom: &tree)
        try transact(origin: .local, author: author) {
            var problems: [SettingsError] = []
            let entries = entries(of: tree)
            for entry in entries {
                if !entry.isDeclared, unknownKeys == .refuse {
                    problems.append(.unknownKey(entry.key))
                    continue
                }
                attempt(&problems) { try setValue(entry.value, forKey: entry.key, author: author) }
            }
            if mode == .replace, problems.isEmpty {
                for key in keysToRemove(besides: entries.map(\.key)) {
                    attempt(&problems) { try removeValue(forKey: key, author: author) }
                }
            }
            if !problems.isEmpty { throw SettingsError.several(.importRefused, "Nothing was imported.", problems) }
        }
    }

    private func attempt(_ problems: inout [SettingsError], _ body: () throws -> Void) {
        do {
            try body()
        } catch let error as SettingsError {
            problems.append(error)
        } catch {
            // An app's codec may throw anything.
            problems.append(SettingsError(.unusableValue, "\(error)", underlying: error))
        }
    }

    // MARK: Keys

    private struct Entry {
        let key: SettingKey
        let value: SettingValue
        let isDeclared: Bool
    }

    /// The values of a tree: those of settings, and everything outside of settings, each as deep as it goes.
    private func entries(of tree: SettingTree) -> [Entry] {
        var entries: [Entry] = []
        func add(_ value: SettingValue, at key: SettingKey) {
            let isDeclared = log.lock.withLock { log.stored.slots[log.stored.resolved(key)]?.declaration != nil }
            if !isDeclared, case .dictionary(let values) = value, !values.isEmpty {
                for (name, value) in values { add(value, at: key.appending(component: name)) }
            } else {
                entries.append(Entry(key: key, value: value, isDeclared: isDeclared))
            }
        }
        for (name, value) in tree.root { add(value, at: SettingKey(name: name)) }
        return entries.sorted(by: \.key)
    }

    /// The keys that are stored, or are settings, and lie neither at nor around nor within one of the given keys.
    /// Secrets, owner's settings and other spellings of settings' keys are left out.
    private func keysToRemove(besides keys: [SettingKey]) -> [SettingKey] {
        let tree = newestTree(at: nil)
        let (slots, imported) = log.lock.withLock {
            (Array(log.stored.slots.all), keys.map { log.stored.slots.place(of: $0) ?? $0 })
        }
        let kept = Set(slots.filter { $0.access == .owner || $0.isSecret }.map(\.key))
        var spared = kept.union(imported)
        for key in imported + kept { spared.formUnion(key.parents) }
        let inside = kept.union(imported)
        // A setting of a group in use may have been written in the same transaction.
        let written = slots.filter { $0.declaration != nil && ($0.isStored || $0.box != nil) }
        let storedKeys = entries(of: tree).map(\.key)
        let placed = log.lock.withLock { storedKeys.filter { (log.stored.slots.place(of: $0) ?? $0) == $0 } }
        let stored = Set(placed).union(written.map(\.key))
        return stored.filter { key in !spared.contains(key) && !key.parents.contains(where: inside.contains) }.sorted()
    }
}

extension SettingsError {
    fileprivate static func unknownKey(_ key: SettingKey) -> SettingsError {
        SettingsError(.unknownKey, "“\(key)” is not a setting of any group that has been opened.", key: key.description)
    }
}

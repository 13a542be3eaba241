/// The implementation of ``SettingsStore/export(as:includingSecrets:)`` and its counterpart.
extension StoreCore {
    func export(as format: FileFormat, includingSecrets includesSecrets: Bool) async throws(SettingsError) -> [UInt8] {
        var tree = try await persister.everything()
        let hidden = log.lock.withLock {
            // Export only values in force, and leave out hidden settings under every spelling of their keys.
            log.slots.all.filter { $0.access == .owner || ($0.isSecret && !includesSecrets) }
                .flatMap { [$0.key] + log.slots.otherSpellings(of: $0) } + log.slots.notedSpellings
        }
        for key in hidden { tree[key] = nil }
        do {
            return try format.encode(tree)
        } catch {
            throw SettingsError(
                .encodingFailed, "The settings can't be exported as \(format): \(error)", underlying: error)
        }
    }

    func `import`(
        _ bytes: [UInt8], as format: FileFormat?, _ mode: SettingsStore.ImportMode,
        unknownKeys: SettingsStore.UnknownKeys, by author: String?
    ) throws {
        let tree: SettingTree
        do {
            tree = try (format ?? FileFormat.detect(bytes) ?? .json).decode(bytes)
        } catch {
            throw SettingsError(
                .importRefused, "Nothing was imported, because the data can't be read: \(error)", underlying: error)
        }
        try transact(origin: .local, author: author) {
            var problems: [SettingsError] = []
            let entries = entries(of: tree)
            for entry in entries {
                if !entry.isDeclared, unknownKeys == .refuse {
                    problems.append(.unknownKey(entry.key))
                    continue
                }
                attempt(&problems) { try setValue(entry.value, forKey: entry.key, by: author) }
            }
            if mode == .replace, problems.isEmpty {
                for key in keysToRemove(besides: entries.map(\.key)) {
                    attempt(&problems) { try removeValue(forKey: key, by: author) }
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
            let isDeclared = log.lock.withLock { log.slots[log.resolved(key)]?.declaration != nil }
            if !isDeclared, case .dictionary(let values) = value, !values.isEmpty {
                for (name, value) in values { add(value, at: key.appending(component: name)) }
            } else {
                entries.append(Entry(key: key, value: value, isDeclared: isDeclared))
            }
        }
        for (name, value) in tree.root { add(value, at: SettingKey(name: name)) }
        return entries.sorted { $0.key < $1.key }
    }

    /// The keys that are stored, or are settings, and lie neither at nor around nor within one of the given keys.
    /// Secrets, owner's settings and other spellings of settings' keys are left out.
    private func keysToRemove(besides keys: [SettingKey]) -> [SettingKey] {
        let tree = newestTree(at: nil)
        let (slots, imported) = log.lock.withLock {
            (Array(log.slots.all), keys.map { log.slots.place(of: $0) ?? $0 })
        }
        let kept = Set(slots.filter { $0.access == .owner || $0.isSecret }.map(\.key))
        var spared = kept.union(imported)
        for key in imported + kept { spared.formUnion(key.parents) }
        let inside = kept.union(imported)
        // A setting of a group in use may have been written in the same transaction.
        let written = slots.filter { $0.declaration != nil && ($0.isStored || $0.box != nil) }
        let storedKeys = entries(of: tree).map(\.key)
        let placed = log.lock.withLock { storedKeys.filter { (log.slots.place(of: $0) ?? $0) == $0 } }
        let stored = Set(placed).union(written.map(\.key))
        return stored.filter { key in !spared.contains(key) && !key.parents.contains(where: inside.contains) }.sorted()
    }
}

extension SettingsError {
    fileprivate static func unknownKey(_ key: SettingKey) -> SettingsError {
        SettingsError(.unknownKey, "“\(key)” is not a setting of any group that has been opened.", key: key.description)
    }
}

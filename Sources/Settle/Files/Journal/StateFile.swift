/// The settings that are state, and how far the file in which they are stored is behind.
///
/// The readable file has none of them: each of its versions differs from the values in force by lacking them.
///
/// Pure: it is given each record in order, before its values are in force.
package struct StateFile: Sendable {
    /// The keys of state, each including all keys within it. None of them is within another one.
    package private(set) var keys: Set<SettingKey> = []
    /// The keys of all dictionaries around these keys.
    private var outerKeys: Set<SettingKey> = []
    /// The versions that the file may have, the likely one last; none if it has not been written. The differences are
    /// those from the state in force.
    package private(set) var versions: [JournalState.Mirror] = []

    package init() {}

    /// Returns whether a key is state, or within a key that is.
    package func contains(_ key: SettingKey) -> Bool {
        !keys.isEmpty && (keys.contains(key) || key.parents.contains(where: keys.contains))
    }

    /// Returns whether a key is state, or has state within it.
    func mentions(_ key: SettingKey) -> Bool { keys.contains(key) || outerKeys.contains(key) }

    func keys(within key: SettingKey) -> Set<SettingKey> {
        outerKeys.contains(key) ? keys.filter(key.contains) : []
    }

    // MARK: Values

    /// Returns the current or future values of the file.
    package func tree(of tree: SettingTree) -> SettingTree {
        var part = SettingTree()
        for key in keys { part[key] = tree[key] }
        return part
    }

    /// Returns the current or future values of the readable file.
    package func rest(of tree: SettingTree) -> SettingTree {
        var rest = tree
        // Removing a missing key would remove an empty dictionary around it.
        for key in keys where rest[key] != nil { rest[key] = nil }
        return rest
    }

    /// Returns how the readable file differs from the values in force because it has no state.
    package func absence(from tree: SettingTree) -> MirrorDifference {
        MirrorDifference(keys.lazy.filter { tree[$0] != nil }.map { JournalEntry(key: $0, value: nil) })
    }

    /// Returns whether the readable file has something that it should not have, or lacks something that is not state.
    package func isMisplaced(_ difference: MirrorDifference, in tree: SettingTree) -> Bool {
        difference.values.contains { $0.value != nil || !contains($0.key) }
            || keys.contains { key in tree[key] != nil && !difference.isAbsent(key, in: tree) }
    }

    /// Returns whether the file lacks something, or may have another version than the likely one.
    package func isBehind(_ tree: SettingTree) -> Bool {
        guard let newest = versions.last else { return keys.contains { tree[$0] != nil } }
        return versions.count > 1 || !newest.difference.isEmpty
    }

    /// Whether there has been a file, and none of its possible versions is that there is none.
    package var isWritten: Bool { !versions.isEmpty && !versions.contains { $0.version == .absent } }

    /// The size in bytes.
    package var size: Int { versions.last.map { $0.version == .absent ? 0 : Int(clamping: $0.version.size) } ?? 0 }

    /// Returns the newest mirror of a version.
    package func version(_ version: FileVersion) -> JournalState.Mirror? { versions.last { $0.version == version } }

    // MARK: Records

    package mutating func add(_ record: JournalStateKeys, at offset: Int, over tree: SettingTree) {
        for key in record.removed { remove(key, tree) }
        for key in record.added.sorted() where !contains(key) { add(key, tree) }
        if !record.removed.isEmpty { outerKeys = Set(keys.flatMap(\.parents)) }
        // The likely one, and none at all, come last.
        let mirrors = record.mirrors.suffix(JournalBase.mirrorLimit)
        if !mirrors.isEmpty { versions = mirrors.map { JournalState.Mirror($0, offset) } }
    }

    /// Adds a key that none of the versions has, except for the part within it that was state before.
    private mutating func add(_ key: SettingKey, _ tree: SettingTree) {
        let known = keys(within: key)
        keys.subtract(known)
        keys.insert(key)
        outerKeys.formUnion(key.parents)
        guard let value = tree[key], !versions.isEmpty else { return }
        var lacking = [key]
        if !known.isEmpty, case .dictionary(let entries) = value {
            lacking = SettingTree(entries).leafKeys.map(key.appending)
                .filter { leaf in !known.contains { $0 == leaf || $0.contains(leaf) } }
        }
        for index in versions.indices {
            for key in lacking { versions[index].difference.note(nil, at: key) }
        }
    }

    /// Removes a key that all versions have, unless they are known not to have it.
    private mutating func remove(_ key: SettingKey, _ tree: SettingTree) {
        for inner in keys(within: key).union([key]) where keys.contains(inner) {
            keys.remove(inner)
            for index in versions.indices { versions[index].difference.note(tree[inner], at: inner) }
        }
    }

    package mutating func willChange(_ batch: JournalBatch, in tree: SettingTree) {
        guard !keys.isEmpty, !versions.isEmpty else { return }
        for entry in batch.entries {
            let changed = contains(entry.key) ? [entry.key] : keys(within: entry.key)
            for index in versions.indices {
                for key in changed { versions[index].difference.willChange(key, in: tree) }
            }
        }
    }

    /// Records that the file has been written, or read and merged.
    package mutating func didRead(_ version: JournalState.Mirror) { versions = [version] }

    /// Records that the file was found to have one of its possible versions, or to be missing.
    ///
    /// - Parameter isCertain: Whether the lock is held. Otherwise another process may just be writing another version.
    mutating func didFind(_ found: FileVersion?, isCertain: Bool, over tree: SettingTree) {
        let absent = JournalState.Mirror(version: .absent, difference: absence(from: tree))
        let mirror = found.map(version) ?? absent
        if found == nil, isCertain, absent.difference.isEmpty {
            versions = []
        } else {
            // A removed version may come back after a loss of power, and is not an edit then.
            let others = isCertain && found != nil ? [] : versions.filter { $0.version != mirror?.version }
            versions = others + [mirror].compactMap { $0 }
        }
    }

    /// Imports the file without a journal: all of its values are state.
    mutating func didImport(_ content: SettingTree, _ version: JournalState.Mirror, over tree: SettingTree) {
        add(JournalStateKeys(added: Set(content.leafKeys)), at: version.offset, over: tree)
        versions = [version]
    }

    package mutating func didBeginJournal(at offset: Int) {
        for index in versions.indices { versions[index].offset = offset }
    }

    /// All keys and versions, as recorded at the beginning of a journal.
    package var record: JournalStateKeys? {
        if keys.isEmpty && versions.isEmpty { return nil }
        return JournalStateKeys(
            added: keys, mirrors: versions.map { JournalBase.Mirror($0, isOfState: true) })
    }
}

/// Which settings are state, and how far the file in which they stand is behind.
///
/// The readable file has none of them: each of its versions differs from the values in force by lacking them.
///
/// Pure: it is told each record in its order, before its values are in force.
package struct StateFile: Sendable {
    /// What is state, with all that is within it. None of them is within another one.
    package private(set) var keys: Set<SettingKey> = []
    /// The keys of all dictionaries that have one of them in them.
    private var outerKeys: Set<SettingKey> = []
    /// The versions that the file may have, the one last that it is thought to have; none if it has not been written.
    /// The differences are those from what is in force of state.
    package private(set) var versions: [JournalState.Mirror] = []

    package init() {}

    /// Whether a key is state, or within what is.
    package func contains(_ key: SettingKey) -> Bool {
        !keys.isEmpty && (keys.contains(key) || key.parents.contains(where: keys.contains))
    }

    /// Whether a key is state, or has state within it.
    func mentions(_ key: SettingKey) -> Bool { keys.contains(key) || outerKeys.contains(key) }

    func keys(within key: SettingKey) -> Set<SettingKey> {
        outerKeys.contains(key) ? keys.filter(key.contains) : []
    }

    // MARK: Values

    /// What the file has, or will have.
    package func tree(of tree: SettingTree) -> SettingTree {
        var part = SettingTree()
        for key in keys { part[key] = tree[key] }
        return part
    }

    /// What the readable file has, or will have.
    package func rest(of tree: SettingTree) -> SettingTree {
        var rest = tree
        // To remove a missing key would remove an empty dictionary around it.
        for key in keys where rest[key] != nil { rest[key] = nil }
        return rest
    }

    /// Where the readable file differs from the values in force because it has no state.
    package func absence(from tree: SettingTree) -> MirrorDifference {
        MirrorDifference(keys.lazy.filter { tree[$0] != nil }.map { JournalEntry(key: $0, value: nil) })
    }

    /// Whether the readable file has something that it should not have, or lacks something that is no state.
    package func isMisplaced(_ difference: MirrorDifference, in tree: SettingTree) -> Bool {
        difference.values.contains { $0.value != nil || !contains($0.key) }
            || keys.contains { key in tree[key] != nil && !difference.isAbsent(key, in: tree) }
    }

    /// Whether the file lacks something, or may be another version than is thought.
    package func isBehind(_ tree: SettingTree) -> Bool {
        guard let newest = versions.last else { return keys.contains { tree[$0] != nil } }
        return versions.count > 1 || !newest.difference.isEmpty
    }

    /// Whether there has been a file, and none of the versions that it may have is that there is none.
    package var isWritten: Bool { !versions.isEmpty && !versions.contains { $0.version == .absent } }

    /// In bytes.
    package var size: Int { versions.last.map { $0.version == .absent ? 0 : Int(clamping: $0.version.size) } ?? 0 }

    /// The newest of its versions that is this one.
    package func version(_ version: FileVersion) -> JournalState.Mirror? { versions.last { $0.version == version } }

    // MARK: Records

    package mutating func add(_ record: JournalStateKeys, at offset: Int, over tree: SettingTree) {
        for key in record.removed { remove(key, tree) }
        for key in record.added.sorted() where !contains(key) { add(key, tree) }
        if !record.removed.isEmpty { outerKeys = Set(keys.flatMap(\.parents)) }
        if !record.mirrors.isEmpty { versions = record.mirrors.map { JournalState.Mirror($0, offset) } }
    }

    /// None of the versions has it, but for what is within it and was state before.
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

    /// All versions have it, unless it is known that they don't.
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

    /// The file has been written, or read and merged.
    package mutating func didRead(_ version: JournalState.Mirror) { versions = [version] }

    /// The file was found to be one of the versions that it may have, or not to be there.
    ///
    /// - Parameter isCertain: Whether the lock is held. Otherwise another process may just be writing another version.
    mutating func didFind(_ found: FileVersion?, isCertain: Bool, over tree: SettingTree) {
        let absent = JournalState.Mirror(version: .absent, difference: absence(from: tree))
        let mirror = found.map(version) ?? absent
        if found == nil, isCertain, absent.difference.isEmpty {
            versions = []
        } else {
            // One that somebody has removed may come back with a loss of power, and is no edit then.
            let others = isCertain && found != nil ? [] : versions.filter { $0.version != mirror?.version }
            versions = others + [mirror].compactMap { $0 }
        }
    }

    /// Without a journal, what the file has is state.
    mutating func didImport(_ content: SettingTree, _ version: JournalState.Mirror, over tree: SettingTree) {
        add(JournalStateKeys(added: Set(content.leafKeys)), at: version.offset, over: tree)
        versions = [version]
    }

    package mutating func didBeginJournal(at offset: Int) {
        for index in versions.indices { versions[index].offset = offset }
    }

    /// Everything, as the beginning of a journal says it.
    package var record: JournalStateKeys? {
        if keys.isEmpty && versions.isEmpty { return nil }
        return JournalStateKeys(
            added: keys, mirrors: versions.map { JournalBase.Mirror($0, isOfState: true) })
    }
}

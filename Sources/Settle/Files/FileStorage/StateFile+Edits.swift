/// Edits by people of the state file, and of the readable file where state is concerned.
extension StateFile {
    /// Returns the journal record of an edit of the file.
    func record(
        ofEdit file: SettingTree, _ version: FileVersion, over tree: SettingTree,
        _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) -> JournalRecord.Content {
        let batch = edit(of: file, over: tree, isSame)
        let difference = MirrorDifference(from: self.tree(of: tree.with(batch)), to: file, isSame)
        return .edited(JournalBase.Mirror(version, difference.entries, isOfState: true), batch)
    }

    /// Returns the edit of the file: the leaves that are in none of the versions which it may have had.
    private func edit(
        of file: SettingTree, over tree: SettingTree, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) -> JournalBatch {
        let known = contents(over: tree)
        var difference = TreeDifference(from: known.first ?? SettingTree(), to: file) { isSame($0, $1) }
        for other in known.dropFirst() { difference.leaveOut { key, value in isSame(other[key], value) } }
        return difference.batch
    }

    /// Returns an edit of the readable file without removals of state, which that file need not have, and without the
    /// removal of state that a whole dictionary would cause.
    func sparing(_ batch: JournalBatch, in tree: SettingTree) -> JournalBatch {
        guard !keys.isEmpty else { return batch }
        var batch = batch
        batch.entries.removeAll { $0.value == nil && contains($0.key) }
        for index in batch.entries.indices {
            let entry = batch.entries[index]
            switch entry.value {
            case .dictionary, nil: break
            default: continue
            }
            var part = SettingTree()
            part[entry.key] = entry.value
            for key in keys(within: entry.key) where part[key] == nil && tree[key] != nil {
                part[key] = tree[key]
                batch.entries[index].value = part[entry.key]
            }
        }
        return batch
    }

    /// Returns the values of each of the versions that the file may have.
    private func contents(over tree: SettingTree) -> [SettingTree] {
        let part = self.tree(of: tree)
        return versions.map { $0.difference.mirror(of: part) }
    }
}

/// The store's declarations of which keys are state and which are not.
struct DeclaredState: Sendable {
    private var state: Set<SettingKey> = []
    private var others: Set<SettingKey> = []
    /// The journal's keys of state when it knew all declarations. Comparing takes no time while the set is the same.
    private var known: Set<SettingKey>?

    /// Declares some keys as state, and others as not.
    mutating func add(_ keys: Set<SettingKey>, from others: Set<SettingKey>) {
        state = state.subtracting(others).union(keys)
        self.others = self.others.subtracting(keys).union(others)
        known = nil
    }

    /// Returns the declarations to record; `nil` if there are none.
    func unknown(to file: StateFile) -> JournalStateKeys? {
        if known == file.keys { return nil }
        let added = state.filter { !file.contains($0) }
        let removed = file.keys.isEmpty ? [] : others.filter(file.mentions)
        return added.isEmpty && removed.isEmpty ? nil : JournalStateKeys(added: added, removed: Set(removed))
    }

    /// Records that the journal knows all declarations.
    mutating func didKnow(_ file: StateFile) { known = file.keys }
}

/// What people have done to the file of state, and to the readable file where that has to do with state.
extension StateFile {
    /// What the journal is told of an edit of the file.
    func record(
        ofEdit file: SettingTree, _ version: FileVersion, over tree: SettingTree,
        _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) -> JournalRecord.Content {
        let batch = edit(of: file, over: tree, isSame)
        let difference = MirrorDifference(from: self.tree(of: tree.with(batch)), to: file, isSame)
        return .edited(JournalBase.Mirror(version, difference.entries, isOfState: true), batch)
    }

    /// What was edited in the file: the leaves that are in none of the versions which it may have had.
    private func edit(
        of file: SettingTree, over tree: SettingTree, _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) -> JournalBatch {
        let known = contents(over: tree)
        var difference = TreeDifference(from: known.first ?? SettingTree(), to: file) { isSame($0, $1) }
        for other in known.dropFirst() { difference.leaveOut { key, value in isSame(other[key], value) } }
        return difference.batch
    }

    /// What it has made of an edit of the readable file: without removals of state, which that file need not have, and
    /// without the state that a whole dictionary would take with it.
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

    /// What each of the versions that the file may have has.
    private func contents(over tree: SettingTree) -> [SettingTree] {
        let part = self.tree(of: tree)
        return versions.map { $0.difference.mirror(of: part) }
    }
}

/// What the store has said is state, and is none.
struct DeclaredState: Sendable {
    private var state: Set<SettingKey> = []
    private var others: Set<SettingKey> = []
    /// What the journal had for state when it knew everything. To compare takes no time while it is the same set.
    private var known: Set<SettingKey>?

    /// From now on some keys are state, and others are none.
    mutating func add(_ keys: Set<SettingKey>, from others: Set<SettingKey>) {
        state = state.subtracting(others).union(keys)
        self.others = self.others.subtracting(keys).union(others)
        known = nil
    }

    /// What is to be told; `nil` if nothing is.
    func unknown(to file: StateFile) -> JournalStateKeys? {
        if known == file.keys { return nil }
        let added = state.filter { !file.contains($0) }
        let removed = file.keys.isEmpty ? [] : others.filter(file.mentions)
        return added.isEmpty && removed.isEmpty ? nil : JournalStateKeys(added: added, removed: Set(removed))
    }

    /// The journal knows everything.
    mutating func didKnow(_ file: StateFile) { known = file.keys }
}

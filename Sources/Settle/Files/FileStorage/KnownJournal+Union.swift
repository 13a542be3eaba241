extension KnownJournal {
    /// Returns the values that were in force here and are to be put over those of a journal that began without them,
    /// except where the journal's values are newer. The file may have the version that only this process knows, which
    /// is not an edit then.
    ///
    /// - Parameters:
    ///   - found: All values of the journal.
    ///   - state: The journal's other records.
    ///   - ancestor: The values with which both began.
    ///   - records: The journal's records that others may have written since.
    /// - Returns: `nil` if it changes nothing.
    func union(
        over found: SettingTree, _ state: JournalState, from ancestor: SettingTree, _ records: [JournalRecord],
        _ isSame: @escaping (SettingValue?, SettingValue?) -> Bool
    ) -> JournalUnion? {
        guard let token else { return nil }
        var others = OtherValues(ancestor: ancestor, isWhole: lineage.resets == 0)
        for record in records { others.follow(record.content, token, over: tree) }
        let (files, stateFiles) = (values(of: mirrors), values(of: stateFile.versions))
        others.compare(found) { key in
            // Only versions from before the key was state contain it.
            stateFile.contains(key) ? stateFiles + files.filter { $0[key] != nil } : files
        }
        let theirs = others.newer
        let outer = theirs.reduce(into: Set<SettingKey>()) { $0.formUnion($1.parents) }
        var batch = TreeDifference(from: others.ancestor, to: tree).batch
        batch.entries.removeAll { entry in
            others.isKnown || theirs.contains(entry.key) || outer.contains(entry.key)
                || entry.key.parents.contains(where: theirs.contains)
        }
        var union = JournalUnion(origin: token, batch: batch)
        if file != .absent, state.mirror(file) == nil, let mirror = mirrors.last(where: { $0.version == file }) {
            let content = mirror.difference.mirror(of: tree)
            union.mirrors = [
                JournalBase.Mirror(file, MirrorDifference(from: found.with(batch), to: content, isSame).entries)
            ]
        }
        return batch.entries.isEmpty && union.mirrors.isEmpty ? nil : union
    }

    /// Returns the values of versions of a file.
    private func values(of versions: [JournalState.Mirror]) -> [SettingTree] {
        versions.filter { $0.version != .absent }.map { $0.difference.mirror(of: tree) }
    }
}

/// Determines which values of another journal are newer than the known ones.
private struct OtherValues {
    /// The values with which both began.
    var ancestor: SettingTree
    /// Whether values that are unknown here were removed as values, and not with a file.
    let isWhole: Bool
    private(set) var newer: Set<SettingKey> = []
    /// Keys that were changed in the file before. Their values are newer if none of the known files has them.
    private var edited: Set<SettingKey> = []
    /// Whether another process has put everything that is known here into the journal.
    private(set) var isKnown = false

    init(ancestor: SettingTree, isWhole: Bool) { (self.ancestor, self.isWhole) = (ancestor, isWhole) }

    /// - Parameters:
    ///   - token: The token up to which this process knows the history that it had open.
    ///   - tree: All values that it knows.
    mutating func follow(_ record: JournalRecord.Content, _ token: ChangeToken, over tree: SettingTree) {
        switch record {
        case .base(let base):
            if let news = base.news, let united = news.united, united.history == token.history {
                isKnown = united.position > token.position || united == token
                know(news.unitedKeys.map { JournalEntry(key: $0, value: base.tree[$0]) }, of: tree)
            }
            // Values that are unchanged there since the removal are not newer than this process's knowledge of them.
            (newer, edited) = (base.news?.keys(in: base.tree) ?? [], base.news?.edited ?? [])
        case .united(let union) where union.origin.history == token.history:
            // The process that has put these values there knew everything that this process knows.
            isKnown = isKnown || union.origin.position > token.position || union.origin == token
            know(union.batch.entries, of: tree)
        case let content where content.isReset: (ancestor, newer, edited) = (SettingTree(), [], [])
        // A known file has nothing new for processes that have begun with it.
        case .edited where newer.isEmpty: break
        case let content: newer.formUnion(content.batch?.entries.map(\.key) ?? [])
        }
    }

    /// Records that another process has put there what this one knew before.
    private mutating func know(_ entries: [JournalEntry], of tree: SettingTree) {
        let known = entries.filter { isWhole || tree[$0.key] != nil }
        ancestor = ancestor.with(JournalBatch(revision: 0, entries: known))
        edited.subtract(known.map(\.key))
    }

    /// - Parameters:
    ///   - found: All values of the journal.
    ///   - files: Returns the values of the known versions of the file to which a key belongs.
    mutating func compare(_ found: SettingTree, with files: (SettingKey) -> [SettingTree]) {
        for key in TreeDifference(from: ancestor, to: found).changes.map(\.key) + edited {
            if !newer.contains(key), files(key).contains(where: { $0[key] == found[key] }) {
                ancestor[key] = found[key]
            } else {
                newer.insert(key)
            }
        }
    }
}

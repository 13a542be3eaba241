extension KnownJournal {
    /// What was in force here and is to be put over the values of a journal that began without it, except where that is
    /// newer. The file may be the version that only this process knows, and is no edit then.
    ///
    /// - Parameters:
    ///   - found: All values of the journal.
    ///   - state: What the journal says beside them.
    ///   - ancestor: What both began with.
    ///   - records: Those of the journal that others may have written since.
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
            // Only a version from before it was state has any in it.
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

    /// The values of versions of a file.
    private func values(of versions: [JournalState.Mirror]) -> [SettingTree] {
        versions.filter { $0.version != .absent }.map { $0.difference.mirror(of: tree) }
    }
}

/// Which values of another journal are newer than what is known here.
private struct OtherValues {
    /// What both began with.
    var ancestor: SettingTree
    /// Whether what is not known here has been removed as a value, and not with a file.
    let isWhole: Bool
    private(set) var newer: Set<SettingKey> = []
    /// What has been changed in the file before. It is newer if it stands in no file that is known here.
    private var edited: Set<SettingKey> = []
    /// Whether another process has put there all that is known here.
    private(set) var isKnown = false

    init(ancestor: SettingTree, isWhole: Bool) { (self.ancestor, self.isWhole) = (ancestor, isWhole) }

    /// - Parameters:
    ///   - token: Up to where this process knows the history that it had open.
    ///   - tree: All values that it knows.
    mutating func follow(_ record: JournalRecord.Content, _ token: ChangeToken, over tree: SettingTree) {
        switch record {
        case .base(let base):
            if let news = base.news, let united = news.united, united.history == token.history {
                isKnown = united.position > token.position || united == token
                know(news.unitedKeys.map { JournalEntry(key: $0, value: base.tree[$0]) }, of: tree)
            }
            // What stands there unchanged since the removal is not newer than what this process knew of it.
            (newer, edited) = (base.news?.keys(in: base.tree) ?? [], base.news?.edited ?? [])
        case .united(let union) where union.origin.history == token.history:
            // Whoever has put that there knew all that this process knows.
            isKnown = isKnown || union.origin.position > token.position || union.origin == token
            know(union.batch.entries, of: tree)
        case let content where content.isReset: (ancestor, newer, edited) = (SettingTree(), [], [])
        // What a file says that is known here is no news to those who have begun with it.
        case .edited where newer.isEmpty: break
        case let content: newer.formUnion(content.batch?.entries.map(\.key) ?? [])
        }
    }

    /// Another process has put there what this one knew before.
    private mutating func know(_ entries: [JournalEntry], of tree: SettingTree) {
        let known = entries.filter { isWhole || tree[$0.key] != nil }
        ancestor = ancestor.with(JournalBatch(revision: 0, entries: known))
        edited.subtract(known.map(\.key))
    }

    /// - Parameters:
    ///   - found: All values of the journal.
    ///   - files: Those of the versions, known here, of the file in which a key stands.
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

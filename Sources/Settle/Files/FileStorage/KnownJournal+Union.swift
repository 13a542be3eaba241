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
        var (ancestor, theirs, isKnown) = (ancestor, Set<SettingKey>(), false)
        for record in records {
            switch record.content {
            case .base(let base):
                // What stands there unchanged since the removal is not newer than what this process knew of it.
                theirs = base.news?.keys ?? []
                if let united = base.news?.united, united.history == token.history {
                    isKnown = united.position > token.position || united == token
                }
            case .united(let union) where union.origin.history == token.history:
                // Whoever has put that there knew all that this process knows.
                isKnown = isKnown || union.origin.position > token.position || union.origin == token
                // Somebody has put there what this process knew before. What it lacks may have been taken for removed.
                let known = union.batch.entries.filter { tree[$0.key] != nil }
                ancestor = ancestor.with(JournalBatch(revision: 0, entries: known))
            case let content where content.isReset: (ancestor, theirs) = (SettingTree(), [])
            // What a file says that is known here is no news to those who have begun with it.
            case .edited where theirs.isEmpty: break
            case let content: theirs.formUnion(content.batch?.entries.map(\.key) ?? [])
            }
        }
        let files = mirrors.filter { $0.version != .absent }.map { $0.difference.mirror(of: tree) }
        for (key, _, new) in TreeDifference(from: ancestor, to: found).changes {
            if !theirs.contains(key), files.contains(where: { $0[key] == new }) {
                ancestor[key] = new
            } else {
                theirs.insert(key)
            }
        }
        let outer = theirs.reduce(into: Set<SettingKey>()) { $0.formUnion($1.parents) }
        var batch = TreeDifference(from: ancestor, to: tree).batch
        batch.entries.removeAll { entry in
            isKnown || theirs.contains(entry.key) || outer.contains(entry.key)
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
}

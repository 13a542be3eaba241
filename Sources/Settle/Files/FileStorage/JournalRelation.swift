/// The relation of a journal that has replaced the known one to that one.
///
/// Pure.
enum JournalRelation {
    /// It was never begun, or nothing in it can be read.
    case unusable
    /// The known journal, which was closed in between.
    case same
    /// It contains everything that was known, except values that others have changed since.
    case descendant
    /// Its author did not know everything. This process has changed the values that differ from its own values at the
    /// token, or from this tree, with which the author began, if the token can't be found.
    case fork(SettingTree?, ChangeToken? = nil)
    /// An earlier journal, or one with other values, has replaced the known one: a backup.
    case restored
}

/// The knowledge of a process that has found another journal.
struct KnownJournal {
    var token: ChangeToken?
    var end: JournalPosition
    var lineage: JournalLineage
    /// The lineages of the journals that were open before it.
    var earlier: [JournalLineage] = []
    /// All values.
    var tree: SettingTree
    /// The versions of the file.
    var mirrors: [JournalState.Mirror]
    /// The version that was read or written last.
    var file = FileVersion.absent
    /// The keys of state, and the versions of their file.
    var stateFile = StateFile()

    /// - Parameters:
    ///   - header: The header of the journal that was found.
    ///   - isContinued: Whether it has the same record at the known end as the known journal.
    func relation(to log: JournalReading, _ header: JournalHeader?, isContinued: Bool) -> JournalRelation {
        guard !log.isUnusable, let header else { return .unusable }
        guard let token, end.generation != 0 else { return .descendant }
        if isContinued { return .same }
        guard let base = log.base else { return .restored }
        guard header.beginning.history == token.history else { return relation(toStranger: base, header, token) }
        // The values in force here were taken for removed. Values stored since then stay.
        let hasReset = log.records.contains { $0.record.content.isReset }
        if header.lineage.resets + (hasReset ? 1 : 0) > lineage.resets { return .fork(SettingTree()) }
        if log.contains(token, header) { return .descendant }
        let start = header.lineage.start
        guard !mayComeFrom(header.lineage) else {
            return header.beginning.position >= token.position ? .descendant : .restored
        }
        // Another journal was begun where there was none, by a process that knew everything stored up to there.
        var place = start.place(in: token.history)
        if header.lineage.restarts > lineage.restarts {
            if place.position > token.position || place == token { return .descendant }
        } else if lineage.start.position < start.position {
            place = lineage.start.place(in: token.history)
        }
        // This process has taken a missing file for a removal, the author has not: values that the author lacks are not
        // removed there.
        if header.lineage.resets < lineage.resets { return .fork(values(of: base.tree)) }
        return .fork(header.isStart || base.news != nil ? base.tree : nil, place)
    }

    /// Returns whether the known journal has come from one of another lineage, as far as this process knows: that one
    /// is a backup.
    private func mayComeFrom(_ other: JournalLineage) -> Bool {
        if other.start.generation == lineage.start.generation { return true }
        guard other.restarts < lineage.restarts else { return false }
        // Nothing is known of journals that were begun before all those that were open here.
        return earlier.contains { $0.start == other.start } || earlier.allSatisfy { $0.restarts > other.restarts }
    }

    /// Returns the values with which both journals began. Values that were changed in the known one since are newer
    /// than those with which the other one began: its author had all of these from before.
    ///
    /// - Parameters:
    ///   - beginning: The values here at the token; `nil` if it can't be found.
    ///   - base: The values with which the other one began; `nil` if they are not known any more.
    func ancestor(since beginning: SettingTree?, _ base: SettingTree?) -> SettingTree {
        guard let beginning, let base else { return beginning ?? base ?? SettingTree() }
        var ancestor = tree
        for (key, _, _) in TreeDifference(from: beginning, to: tree).changes { ancestor[key] = base[key] }
        return ancestor
    }

    /// Returns the values of another tree at the keys that this process has.
    private func values(of other: SettingTree) -> SettingTree {
        var values = SettingTree()
        for key in tree.leafKeys { values[key] = other[key] }
        return values
    }

    /// Returns the relation to a journal of another history. No values are lost, even if that journal is a backup.
    private func relation(
        toStranger base: JournalBase, _ header: JournalHeader, _ token: ChangeToken
    ) -> JournalRelation {
        // If both know a version of the file, both began with it.
        let versions = [header.lineage.origin] + base.mirrors.map(\.version)
        if let mirror = mirrors.last(where: { $0.version != .absent && versions.contains($0.version) }) {
            // The own history was begun where an earlier one had been removed. One process has stored that one again
            // since.
            let isEarlier = header.beginning.history < token.history && header.lineage.restarts == 1 && base.news != nil
            return .fork(ancestor(since: mirror.difference.mirror(of: tree), isEarlier ? base.tree : nil))
        }
        // This process's values began with a file that the other one knew, and were changed after that.
        if let mirror = base.mirrors.last(where: { $0.version != .absent && $0.version == lineage.origin }) {
            let beginning = MirrorDifference(mirror.difference).mirror(of: base.tree)
            return .fork(ancestor(since: beginning, base.tree))
        }
        guard header.previousGeneration != 0, header.isStart else { return .fork(SettingTree()) }
        // Their own journals were removed: the history that began later has the newer values.
        return .fork(header.beginning.history > token.history ? SettingTree() : values(of: base.tree))
    }
}

/// How a journal that was found in the place of the one that this process knew relates to that.
///
/// Pure.
enum JournalRelation {
    /// It was never begun, or nothing in it can be read.
    case unusable
    /// The same one, which was closed in between.
    case same
    /// Everything that was known is in it, unless others have changed it since.
    case descendant
    /// Its author did not know everything. This process has changed what differs from the values that it had at the
    /// place, or from this tree, which the author began with, if the place can't be found.
    case fork(SettingTree?, ChangeToken? = nil)
    /// An earlier one, or one of other values, has been put in its place: a backup.
    case restored
}

/// What a process knew when it has found another journal.
struct KnownJournal {
    var token: ChangeToken?
    var end: JournalPosition
    var lineage: JournalLineage
    /// Those of the journals that were open before it.
    var earlier: [JournalLineage] = []
    /// All values.
    var tree: SettingTree
    /// The versions of the file.
    var mirrors: [JournalState.Mirror]
    /// The one that was read or written last.
    var file = FileVersion.absent
    /// What is state, and the versions of its file.
    var stateFile = StateFile()

    /// - Parameters:
    ///   - header: That of the journal that was found.
    ///   - isContinued: Whether it has at the known end what the known one had there.
    func relation(to log: JournalReading, _ header: JournalHeader?, isContinued: Bool) -> JournalRelation {
        guard !log.isUnusable, let header else { return .unusable }
        guard let token, end.generation != 0 else { return .descendant }
        if isContinued { return .same }
        guard let base = log.base else { return .restored }
        guard header.beginning.history == token.history else { return relation(toStranger: base, header, token) }
        // What was in force here was taken for removed. What has been stored since stays.
        let hasReset = log.records.contains { $0.record.content.isReset }
        if header.lineage.resets + (hasReset ? 1 : 0) > lineage.resets { return .fork(SettingTree()) }
        if log.contains(token, header) { return .descendant }
        let start = header.lineage.start
        guard !mayComeFrom(header.lineage) else {
            return header.beginning.position >= token.position ? .descendant : .restored
        }
        // Another journal has been begun where there was none, by a process that knew what had been stored up to there.
        var place = start.place(in: token.history)
        if header.lineage.restarts > lineage.restarts {
            if place.position > token.position || place == token { return .descendant }
        } else if lineage.start.position < start.position {
            place = lineage.start.place(in: token.history)
        }
        // This process has taken a missing file for a removal, the author has not: what it lacks is not removed there.
        if header.lineage.resets < lineage.resets { return .fork(values(of: base.tree)) }
        return .fork(header.isStart || base.news != nil ? base.tree : nil, place)
    }

    /// Whether the known journal has come from one of another lineage, as far as this process can tell: that is a
    /// backup.
    private func mayComeFrom(_ other: JournalLineage) -> Bool {
        if other.start.generation == lineage.start.generation { return true }
        guard other.restarts < lineage.restarts else { return false }
        // Of what was begun before all that were open here nothing is known.
        return earlier.contains { $0.start == other.start } || earlier.allSatisfy { $0.restarts > other.restarts }
    }

    /// What another journal and the known one began with. What has been changed in the known one since is newer than
    /// what the other one began with, whose author had all that from before.
    ///
    /// - Parameters:
    ///   - beginning: The values here at the place; `nil` if it can't be found.
    ///   - base: What the other one began with; `nil` if that is not known any more.
    func ancestor(since beginning: SettingTree?, _ base: SettingTree?) -> SettingTree {
        guard let beginning, let base else { return beginning ?? base ?? SettingTree() }
        var ancestor = tree
        for (key, _, _) in TreeDifference(from: beginning, to: tree).changes { ancestor[key] = base[key] }
        return ancestor
    }

    /// Those of another tree at the keys that this process has.
    private func values(of other: SettingTree) -> SettingTree {
        var values = SettingTree()
        for key in tree.leafKeys { values[key] = other[key] }
        return values
    }

    /// Of another history. Nobody loses values by it, even if it is a backup.
    private func relation(
        toStranger base: JournalBase, _ header: JournalHeader, _ token: ChangeToken
    ) -> JournalRelation {
        // A version of the file that both have known is what both began with.
        let versions = [header.lineage.origin] + base.mirrors.map(\.version)
        if let mirror = mirrors.last(where: { $0.version != .absent && versions.contains($0.version) }) {
            // The own history was begun where an earlier one had been removed, which one process has stored again
            // since.
            let isEarlier = header.beginning.history < token.history && header.lineage.restarts == 1 && base.news != nil
            return .fork(ancestor(since: mirror.difference.mirror(of: tree), isEarlier ? base.tree : nil))
        }
        // What this process knows began with a file that the other one knew, and has come since.
        if let mirror = base.mirrors.last(where: { $0.version != .absent && $0.version == lineage.origin }) {
            let beginning = MirrorDifference(mirror.difference).mirror(of: base.tree)
            return .fork(ancestor(since: beginning, base.tree))
        }
        guard header.previousGeneration != 0, header.isStart else { return .fork(SettingTree()) }
        // Their own journals were removed: the history that began later has the newer values.
        return .fork(header.beginning.history > token.history ? SettingTree() : values(of: base.tree))
    }
}

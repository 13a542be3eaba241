/// What a journal says of those before it, so that another journal in its place can be told from a backup.
package struct JournalLineage: Sendable, Equatable {
    /// How often a process has taken a file that was not there for settings that somebody has removed.
    package var resets: UInt32
    /// How often one has been begun because the one before had been removed.
    package var restarts: UInt32
    /// Whether it was begun where there was none, and not put in the place of one.
    package var isInEmptyPlace: Bool
    /// The version of the file with which the history began.
    package var origin: FileVersion

    package init(
        resets: UInt32 = 0, restarts: UInt32 = 0, isInEmptyPlace: Bool = false, origin: FileVersion = .absent
    ) {
        self.resets = resets
        self.restarts = restarts
        self.isInEmptyPlace = isInEmptyPlace
        self.origin = origin
    }
}

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
    /// Whoever has begun it did not know everything. Where this process has other values than these, they are its own.
    case fork(SettingTree)
    /// An earlier one, or one of other values, has been put in its place: a backup.
    case restored
}

/// What a process knew when it has found another journal.
struct KnownJournal {
    var token: ChangeToken?
    var end: JournalPosition
    var lineage: JournalLineage
    /// Of the newest one that was begun where there was none.
    var restart: UInt64?
    /// All values.
    var tree: SettingTree
    /// The versions of the file.
    var mirrors: [JournalState.Mirror]

    /// - Parameters:
    ///   - header: That of the journal that was found.
    ///   - isContinued: Whether it has at the known end what the known one had there.
    func relation(to log: JournalReading, _ header: JournalHeader?, isContinued: Bool) -> JournalRelation {
        guard !log.isUnusable, let header else { return .unusable }
        guard let token, end.generation != 0 else { return .descendant }
        if isContinued { return .same }
        guard let base = log.base else { return .restored }
        guard header.beginning.history == token.history else { return relation(toStranger: base, header) }
        // What was in force here was taken for removed. What has been stored since stays.
        if header.lineage.resets > lineage.resets { return .fork(SettingTree()) }
        if header.beginning.position >= token.position || log.contains(token, header) { return .descendant }
        let isOtherRestart =
            header.lineage.restarts > 0 && header.lineage.restarts == lineage.restarts && header.lineage.isInEmptyPlace
            && restart.map { $0 != header.generation } ?? false
        guard header.lineage.restarts > lineage.restarts || isOtherRestart else { return .restored }
        return .fork(header.lineage.isInEmptyPlace ? base.tree : SettingTree())
    }

    /// Of another history. Nobody loses values by it, even if it is a backup.
    private func relation(toStranger base: JournalBase, _ header: JournalHeader) -> JournalRelation {
        // Whoever began it found a file that is known here, and no journal.
        if header.lineage.origin != .absent, let mirror = mirrors.last(where: { $0.version == header.lineage.origin }) {
            return .fork(mirror.difference.mirror(of: tree))
        }
        if header.previousGeneration == 0 {
            // It knew no more than the file, or not even that.
            let knewNothing = base.mirrors.allSatisfy { $0.version == .absent }
            return .fork(knewNothing ? SettingTree() : mirrors[0].difference.mirror(of: tree))
        }
        guard header.lineage.isInEmptyPlace else { return .fork(SettingTree()) }
        // It has the older values: its own journal was removed, and what this process knows has come since.
        var ancestor = SettingTree()
        for key in tree.leafKeys { ancestor[key] = base.tree[key] }
        return .fork(ancestor)
    }
}

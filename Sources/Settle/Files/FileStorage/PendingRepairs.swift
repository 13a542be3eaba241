/// What is to be put right, as one list in the order in which it is carried out.
///
/// Pure: it is told what has happened and says what is due. ``FileSession`` carries it out.
///
///     under the lock, before anything else     replaceJournal ▶ storeEverything ▶ storeFile ▶ resolve ▶ tell ▶ heal
///     with the next sync of the journal        synchronizeNames
///     with the next checkpoint                 rewriteFile, removeAbandonedFiles
struct PendingRepairs: Sendable {
    /// A checkpoint that was begun and has not been confirmed.
    struct Checkpoint: Sendable, Equatable {
        var version: FileVersion
        var coveredEnd: Int
    }

    enum Repair: Sendable, Equatable {
        /// A new journal takes the place of one that is damaged, or that may lose what was appended.
        case replaceJournal
        /// Files have been removed: a new journal gets everything that is in force.
        case storeEverything
        /// The journal has everything that is in force, and the file nothing.
        case storeFile
        /// Find out what became of checkpoints whose process ended in the middle.
        case resolve([Checkpoint])
        /// Append what could not be appended when it became known.
        case tell([JournalRecord.Content])
        /// Put the values that were recovered from a damaged file in its place.
        case heal(SettingTree)
        /// The journal or its folders were made by a process that may have ended before their names were durable.
        case synchronizeNames
        /// Write the file although the journal has nothing beyond it.
        case rewriteFile
        /// Remove temporary files whose writers have ended.
        case removeAbandonedFiles

        fileprivate var place: Int {
            switch self {
            case .replaceJournal: 1
            case .storeEverything: 2
            case .storeFile: 3
            case .resolve: 4
            case .tell: 5
            case .heal: 6
            case .synchronizeNames: 7
            case .rewriteFile: 8
            case .removeAbandonedFiles: 9
            }
        }
    }

    private var list: [Repair] = [.removeAbandonedFiles]

    /// What is due next under the lock. Each repair is tried once in a pass: one that turns out to be needed again, or
    /// could not be finished, waits for the next time that the lock is taken.
    ///
    /// - Parameter last: What has been carried out in this pass.
    func next(after last: Repair?) -> Repair? {
        list.first { $0.place > last?.place ?? 0 && $0.place < Repair.synchronizeNames.place }
    }

    func contains(_ repair: Repair) -> Bool { list.contains(repair) }

    mutating func add(_ repair: Repair) { set(repair, isPending: true) }

    mutating func remove(_ repair: Repair) { set(repair, isPending: false) }

    /// One of a kind: a repair replaces another with the same place in the order.
    @inline(never) mutating func set(_ repair: Repair, isPending: Bool) {
        list.removeAll { $0.place == repair.place }
        guard isPending else { return }
        list.insert(repair, at: list.firstIndex { $0.place > repair.place } ?? list.endIndex)
    }

    // MARK: What is known of each

    /// Whether something that was removed has yet to be stored again.
    var isRestoring: Bool { contains(.storeEverything) || contains(.storeFile) }

    /// Whether the file is not the whole truth, whatever the journal has beyond it.
    var concernsFile: Bool { contains(.rewriteFile) || !begun.isEmpty || recovered != nil }

    var begun: [Checkpoint] {
        for case .resolve(let checkpoints) in list { return checkpoints }
        return []
    }

    var untold: [JournalRecord.Content] {
        for case .tell(let records) in list { return records }
        return []
    }

    var recovered: SettingTree? {
        for case .heal(let tree) in list { return tree }
        return nil
    }

    // MARK: What has happened

    /// Another journal is followed, from its beginning.
    mutating func beginJournal() {
        endCheckpoints()
        remove(.tell([]))
    }

    /// A record has been read or appended.
    mutating func follow(_ record: JournalRecord.Content) {
        switch record {
        case .checkpoint(let version, let coveredEnd):
            add(.resolve(begun + [Checkpoint(version: version, coveredEnd: coveredEnd)]))
        case .checkpointed: endCheckpoints()
        case .values, .edited, .kept, .history, .past: break
        }
    }

    mutating func endCheckpoints() { remove(.resolve([])) }

    /// A record could not be appended.
    mutating func tell(_ record: JournalRecord.Content) { add(.tell(untold + [record])) }

    /// The first of the records has been appended.
    mutating func didTell() { set(.tell(Array(untold.dropFirst())), isPending: untold.count > 1) }

    /// Another process has told the journal of an edit.
    mutating func didTell(edit version: FileVersion) {
        let rest = untold.filter { if case .edited(version, _) = $0 { false } else { true } }
        set(.tell(rest), isPending: !rest.isEmpty)
    }

    /// A new journal has been begun with everything that it needs.
    ///
    /// - Parameter checkpoints: Those that it says were begun.
    mutating func didBeginJournal(with checkpoints: [Checkpoint] = []) {
        if contains(.storeEverything) { add(.storeFile) }
        remove(.storeEverything)
        set(.resolve(checkpoints), isPending: !checkpoints.isEmpty)
    }

    mutating func endRestoration() {
        remove(.storeEverything)
        remove(.storeFile)
    }

    mutating func didWriteFile() {
        remove(.rewriteFile)
        remove(.heal(SettingTree()))
    }
}

/// What is to be put right.
///
/// Pure: it is told what has happened and says what is due. ``FileSession`` carries it out.
///
///     under the lock, before anything else     replaceJournal ▶ tell ▶ restoreFile
///     the same, by a process that writes       healFile
///     with the next sync of the journal        synchronizeNames
///     with the next checkpoint                 rewriteFile, removeAbandonedFiles
struct PendingRepairs: OptionSet, Sendable {
    let rawValue: UInt8

    /// A new journal takes the place of one that is damaged, that may lose what was appended, or that lacks something.
    static let replaceJournal = PendingRepairs(rawValue: 1)
    /// The file is missing although this process has it open.
    static let restoreFile = PendingRepairs(rawValue: 2)
    /// What stood in the file's place when it was loaded is damaged.
    static let healFile = PendingRepairs(rawValue: 4)
    /// The names of the journal and of its folders may not be durable: this process has made them, or another one that
    /// may have ended before.
    static let synchronizeNames = PendingRepairs(rawValue: 8)
    /// Write the file although it has everything.
    static let rewriteFile = PendingRepairs(rawValue: 16)
    /// Remove temporary files whose writers have ended.
    static let removeAbandonedFiles = PendingRepairs(rawValue: 32)
    /// The journal was damaged when it was loaded: a copy is put aside before another one takes its place.
    static let setJournalAside = PendingRepairs(rawValue: 64)

    /// Whether the file is to be written, whatever it has.
    var concernsFile: Bool { !isDisjoint(with: [.restoreFile, .healFile, .rewriteFile]) }
}

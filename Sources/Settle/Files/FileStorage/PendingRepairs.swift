/// The repairs that are due.
///
/// Pure: it is given what has happened and decides what is due. ``FileSession`` carries it out.
///
///     under the lock, before anything else     replaceJournal ▶ tell ▶ restoreFile
///     the same, by a process that writes       healFile
///     with the next sync of the journal        synchronizeNames
///     with the next checkpoint                 rewriteFile, removeAbandonedFiles
struct PendingRepairs: OptionSet, Sendable {
    let rawValue: UInt8

    /// A new journal has to replace one that is damaged, that may lose appended records, or that lacks something.
    static let replaceJournal = PendingRepairs(rawValue: 1)
    /// The file is missing although this process has it open.
    static let restoreFile = PendingRepairs(rawValue: 2)
    /// The file was damaged when it was loaded.
    static let healFile = PendingRepairs(rawValue: 4)
    /// The names of the journal and of its folders may not be durable: this process has made them, or another one that
    /// may have ended before.
    static let synchronizeNames = PendingRepairs(rawValue: 8)
    /// Write the file although it has everything.
    static let rewriteFile = PendingRepairs(rawValue: 16)
    /// Remove temporary files whose writers have ended.
    static let removeAbandonedFiles = PendingRepairs(rawValue: 32)
    /// The journal was damaged when it was loaded: a copy is put aside before another one replaces it.
    static let setJournalAside = PendingRepairs(rawValue: 64)

    /// Whether to write the file, whatever its contents.
    var concernsFile: Bool { !isDisjoint(with: [.restoreFile, .healFile, .rewriteFile]) }
}

/// The lock, and what is done first under it.
extension FileSession {
    /// How often the journal may turn out to be another one before that is an error.
    private static let replacementLimit = 100

    /// Takes the lock, merges what others have appended, and carries out the repairs that are due.
    @inline(never) mutating func acquire() throws(StorageError) {
        let isNested = journal.isLocked
        let finding = try lockJournal()
        do {
            if !isNested { try merge(finding) }
            try settle()
        } catch {
            journal.unlock()
            throw error
        }
    }

    mutating func release() {
        journal.unlock()
    }

    private mutating func lockJournal() throws(StorageError) -> JournalFile.Finding {
        var attempts = Self.replacementLimit
        while true {
            let finding = try fileErrors { (session) throws(FileError) in try session.lockMakingFolders() }
            guard finding == .replaced else { return finding }
            // The race for this journal is lost: what was appended to it last is merged before it is given up.
            try mergeNewRecords()
            // Nobody else may have what a removed one says of the past.
            if keepsHistory, (try? operations.status(at: journal.path)) == nil {
                lostRecords = (try? knownRecords()) ?? []
            }
            journal.close()
            attempts -= 1
            guard attempts > 0 else { throw .notSaved(names.file, .replacedAgainAndAgain(journal.path)) }
        }
    }

    /// Merges what others have done to the journal, as far as taking its lock shows.
    private mutating func merge(_ finding: JournalFile.Finding) throws(StorageError) {
        switch finding {
        case .same, .replaced:
            try mergeNewRecords()
            if !journal.isKnown { try merge(.other) }
        case .new:
            try restoreIfFileIsMissing()
            let isContinued = journal.end.generation != 0
            try fileErrors { (session) throws(FileError) in try session.beginJournal() }
            // What was stable in the one that has been removed is stable again.
            if isContinued { try synchronize() }
        case .other:
            try mergeOther()
            try restoreIfFileIsMissing()
        }
    }

    private mutating func lockMakingFolders() throws(FileError) -> JournalFile.Finding {
        do {
            return try journal.lock(timeout: &lockTimeout)
        } catch {
            switch error.cause {
            case .notFound:
                // A folder on the way may have become a link to one that is not there yet.
                try? followPath()
                try operations.makeFolders(names.folder)
            case .isFolder: try putAside(names.journal, as: names.corruptJournal)
            default: throw error
            }
            return try journal.lock(timeout: &lockTimeout)
        }
    }

    /// Carries out what could not be done when it became known. A repair may make a later one necessary, which follows
    /// at once.
    mutating func settle() throws(StorageError) {
        if journal.needsReplacement { repairs.add(.replaceJournal) }
        var last: PendingRepairs.Repair?
        while let repair = repairs.next(after: last) {
            try carryOut(repair)
            last = repair
        }
    }

    mutating func carryOut(_ repair: PendingRepairs.Repair) throws(StorageError) {
        switch repair {
        case .replaceJournal, .storeEverything:
            // Either makes a whole journal, if everything is to be stored.
            try fileErrors { (session) throws(FileError) in try session.replaceJournal() }
        case .storeFile:
            repairs.endRestoration()
            storeFile()
        case .resolve(let checkpoints): try resolve(checkpoints)
        case .tell: try tellJournal()
        case .heal(let tree):
            repairs.add(.rewriteFile)
            _ = try write(tree)
        case .synchronizeNames, .rewriteFile, .removeAbandonedFiles: break
        }
    }

    /// Tells the journal what could not be told when it became known.
    mutating func tellJournal() throws(StorageError) {
        while let record = repairs.untold.first {
            try append(record.followingPolicy(contents.history?.policy))
            repairs.didTell()
        }
    }

    /// Finds out what became of checkpoints whose process ended in the middle.
    private mutating func resolve(_ checkpoints: [PendingRepairs.Checkpoint]) throws(StorageError) {
        let found = try readKnown()
        let standing = found?.version ?? .absent
        // The one that stands there, or that was known to stand there before it was edited.
        if let checkpoint = checkpoints.last(where: { $0.version == standing })
            ?? checkpoints.last(where: { $0.version == file.version })
        {
            try fileErrors { (session) throws(FileError) in
                try session.operations.synchronizeFolder(session.names.folder)
            }
            try confirm(checkpoint.version, coveredEnd: checkpoint.coveredEnd)
            if let found, checkpoint.version == standing { file.didMerge(found, checkpoint.version) }
        } else if let found, standing != file.version {
            // Which version has been edited is not known. Once the file can be read again, its values tell.
            guard let edited = try? decode(found.bytes) else { return }
            try mergeByValues(edited, from: found)
            repairs.endCheckpoints()
        } else {
            // Nothing came of them. Saying so keeps the file from being taken for one of them later.
            try append(.checkpointed(file.version, coveredEnd: contents.coveredEnd))
            repairs.endCheckpoints()
        }
    }
}

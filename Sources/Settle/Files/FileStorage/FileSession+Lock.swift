/// The lock, and what is done first under it.
extension FileSession {
    /// How often the journal may turn out to be another one before that is an error.
    static let replacementLimit = 100

    /// Takes the lock, merges what others have appended, and carries out the repairs that are due.
    ///
    /// - Parameter isWriting: Whether something is about to be written. Otherwise what a load has found stays as it is.
    mutating func acquire(isWriting: Bool = true) throws(StorageError) {
        if isWriting {
            try reloadIfFileIsBack()
            hasWritten = true
        }
        let isNested = journal.isLocked
        let finding = try lockJournal()
        do {
            if !isNested { try merge(finding) }
            try settle()
            if isWriting, !isNested {
                lookAtState()
                lookAtFile()
            }
            if hasWritten || untold.contains(where: \.isUnion) { try tellJournal() }
            if hasWritten { try tellDeclared() }
        } catch {
            journal.unlock()
            throw error
        }
    }

    /// Merges what somebody has edited in the file a moment ago: what is written now comes after it. Takes one call if
    /// nobody has written the file since the last look.
    private mutating func lookAtFile() {
        guard let status = try? fileStatus(), file.hasChanged(status),
            case .edited(let reading, let edited)? = try? examine()
        else { return }
        merge(edited, from: reading)
    }

    mutating func release() {
        journal.unlock()
    }

    private mutating func lockJournal() throws(StorageError) -> JournalFile.Finding {
        var attempts = Self.replacementLimit
        while true {
            let finding = try StorageError.saving(names.file, lockMakingFolders())
            guard finding == .replaced else { return finding }
            // The race for this journal is lost: what was appended to it last is merged before it is given up.
            try mergeNewRecords()
            giveUpJournal()
            attempts -= 1
            guard attempts > 0 else { throw .notSaved(names.file, .replacedAgainAndAgain(journal.path)) }
        }
    }

    /// Merges what others have done to the journal, as far as taking its lock shows.
    private mutating func merge(_ finding: JournalFile.Finding) throws(StorageError) {
        switch finding {
        case .same, .replaced:
            try mergeNewRecords(canUnite: true)
            if !journal.isKnown { try merge(.other) }
        case .new:
            try restoreIfFileIsMissing()
            let isContinued = journal.end.generation != 0
            try StorageError.saving(names.file, beginJournal())
            // What was stable in the one that has been removed is stable again.
            if isContinued { try synchronize() }
        case .other:
            try mergeOther()
            forgetLost()
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
                for folder in names.folders.reversed() { try operations.makeFolders(folder) }
            case .isFolder: try aside.move(names.journal, to: names.corruptJournal)
            default: throw error
            }
            return try journal.lock(timeout: &lockTimeout)
        }
    }

    /// Carries out what could not be done when it became known.
    private mutating func settle() throws(StorageError) {
        // Who only reads leaves what is damaged or undecided to others.
        if hasWritten || !repairs.contains(.setJournalAside),
            journal.needsReplacement || repairs.contains(.replaceJournal)
        {
            try StorageError.saving(names.file, replaceJournal())
        }
        if hasWritten, state.hasBegun { try resolve() }
        if repairs.contains(.restoreFile) { try restoreFile() }
        if hasWritten, repairs.contains(.healFile) { try healFile() }
    }

    /// Finds out what became of versions of the file whose process ended in the middle, and tells the journal.
    private mutating func resolve() throws(StorageError) {
        try StorageError.saving(names.file, decideMirror())
        // An edit comes before what is said of the version that it has made.
        try tellJournal()
        if !state.hasBegun { try appendState(.mirrored(state.mirrors[0].version)) }
    }

    /// Finds out which of the versions that the file may have it has.
    mutating func decideMirror() throws(FileError) {
        let found: FileReading?
        do throws(StorageError) {
            found = try readKnown()
        } catch {
            throw FileError(action: "read", path: names.file.text, cause: .inputOutput)
        }
        let standing = found?.version ?? .absent
        if state.mirror(standing) != nil {
            let known = state.mirrors[0]
            if known.version != standing {
                try operations.synchronizeFolder(names.folder)
                // Whoever has written it may have ended before the look at what it has replaced.
                if known.version != .absent { mergeReplaced(known) }
            }
            state.decide(standing)
            if let found { file.didMerge(found, standing) }
        } else if let found, let edited = try? spelling.decode(found.bytes) {
            merge(edited, from: found)
        } else if found == nil {
            // It has been removed, whichever it was.
            state.decide(state.mirrors[0].version)
        }
        // Otherwise it can't be read now. Once it can, its values are compared with all of them.
    }
}

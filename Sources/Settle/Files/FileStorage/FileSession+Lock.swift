/// The lock, and the first steps under it.
extension FileSession {
    /// The number of times that the journal may turn out to be another one before that is an error.
    static let replacementLimit = 100

    /// Takes the lock, merges what others have appended, and carries out pending repairs.
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

    /// Merges an edit that was made in the file a moment ago: values written now come after it. Takes one call if
    /// the file has not been written since the last check.
    private mutating func lookAtFile() {
        guard let status = try? fileStatus(), file.hasChanged(status),
            case .edited(let reading, let edited)? = try? examine()
        else { return }
        merge(edited, from: reading)
    }

    /// Takes the lock as ``acquire(isWriting:)`` does, if it is free and that leaves nothing to do. Makes only calls
    /// that do not wait.
    mutating func acquireAtOnce() -> Bool {
        guard case .ready = phase, hasWritten, untold.isEmpty, lost == nil, !state.hasBegun, !hasUndeclared,
            repairs.isDisjoint(with: [.replaceJournal, .restoreFile, .healFile]), journal.lockAtOnce()
        else { return false }
        let status = try? fileStatus()
        let isUnchanged = status.map { !file.hasChanged($0) } ?? (file.version == .absent)
        if isUnchanged, !isStateChanged, (try? journal.hasNews()) == false { return true }
        journal.unlock()
        return false
    }

    mutating func release() {
        journal.unlock()
    }

    private mutating func lockJournal() throws(StorageError) -> JournalFile.Finding {
        var attempts = Self.replacementLimit
        while true {
            let finding = try StorageError.saving(names.file, lockMakingFolders())
            guard finding == .replaced else { return finding }
            // Another process has replaced this journal: merge its last records before giving it up.
            try mergeNewRecords()
            giveUpJournal()
            attempts -= 1
            guard attempts > 0 else { throw .notSaved(names.file, .replacedAgainAndAgain(journal.path)) }
        }
    }

    /// Merges changes of others to the journal that taking its lock reveals.
    private mutating func merge(_ finding: JournalFile.Finding) throws(StorageError) {
        switch finding {
        case .same, .replaced:
            try mergeNewRecords(canUnite: true)
            if !journal.isKnown { try merge(.other) }
        case .new:
            try restoreIfFileIsMissing()
            let isContinued = journal.end.generation != 0
            try StorageError.saving(names.file, beginJournal())
            // Records that were durable in the removed journal are durable again.
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
                // A folder on the path may have become a link to one that is not there yet.
                try? followPath()
                for folder in names.folders.reversed() { try operations.makeFolders(folder) }
            case .isFolder: try aside.move(names.journal, to: names.corruptJournal)
            default: throw error
            }
            return try journal.lock(timeout: &lockTimeout)
        }
    }

    /// Carries out steps that could not be done when they became known.
    private mutating func settle() throws(StorageError) {
        // A process that only reads leaves damaged and undecided files to others.
        if hasWritten || !repairs.contains(.setJournalAside),
            journal.needsReplacement || repairs.contains(.replaceJournal)
        {
            try StorageError.saving(names.file, replaceJournal())
        }
        if hasWritten, state.hasBegun { try resolve() }
        if repairs.contains(.restoreFile) { try restoreFile() }
        if hasWritten, repairs.contains(.healFile) { try healFile() }
    }

    /// Resolves versions of the file whose writers ended in the middle, and records the result in the journal.
    private mutating func resolve() throws(StorageError) {
        try StorageError.saving(names.file, decideMirror())
        // An edit comes before the record of the version that it has made.
        try tellJournal()
        if !state.hasBegun { try appendState(.mirrored(state.mirrors[0].version)) }
    }

    /// Decides which of its possible versions the file has.
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
                // Its writer may have ended before it checked the replaced file.
                if known.version != .absent { try mergeReplacedEarlier(known) }
            }
            state.decide(standing)
            if let found { file.didMerge(found, standing) }
        } else if let found, let edited = try? spelling.decode(found.bytes) {
            merge(edited, from: found)
        } else if found == nil {
            // The file has been removed, whichever version it was.
            state.decide(state.mirrors[0].version)
        }
        // Otherwise it can't be read now. Once it can, its values are compared with all of them.
    }
}

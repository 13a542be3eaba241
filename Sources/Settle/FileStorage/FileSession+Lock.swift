/// The lock, and what is done first by whoever has it.
extension FileSession {
    /// How often the journal may turn out to be another one before somebody has to look at what replaces it.
    private static let replacementLimit = 100

    /// Takes the lock, and takes in what others have appended. What was left undone is done now.
    mutating func acquire() throws(StorageError) {
        if journal.isLocked {
            try fileErrors { (session) throws(FileError) in _ = try session.journal.lock(patience: &session.patience) }
        } else {
            try lockJournal()
        }
        do {
            try settle()
        } catch {
            journal.unlock()
            throw error
        }
    }

    mutating func release() {
        journal.unlock()
    }

    private mutating func lockJournal() throws(StorageError) {
        var finding = try fileErrors { (session) throws(FileError) in try session.lockMakingFolders() }
        var attempts = Self.replacementLimit
        while finding == .replaced {
            // Its last words, before it is given up.
            try takeInNew()
            journal.close()
            attempts -= 1
            guard attempts > 0 else { throw .notSaved(names.file, .replacedAgainAndAgain(journal.path)) }
            finding = try fileErrors { (session) throws(FileError) in try session.lockMakingFolders() }
        }
        do {
            switch finding {
            case .same, .replaced: try takeInNew()
            case .new:
                try noteIfFileIsMissing()
                let isContinued = journal.end.generation != 0
                try fileErrors { (session) throws(FileError) in try session.beginJournal() }
                // What was stable in the one that has been removed is stable again.
                if isContinued { try synchronize() }
            case .other:
                try takeInOther()
                try noteIfFileIsMissing()
            }
        } catch {
            journal.unlock()
            throw error
        }
    }

    private mutating func lockMakingFolders() throws(FileError) -> JournalFile.Finding {
        do {
            return try journal.lock(patience: &patience)
        } catch {
            switch error.cause {
            case .notFound:
                // A folder on the way may have become a link to one that is not there yet.
                try? followPath()
                try operations.makeFolders(names.folder)
            case .isFolder: try putAside(names.journal, as: names.corruptJournal)
            default: throw error
            }
            return try journal.lock(patience: &patience)
        }
    }

    /// Does what could not be done when it was due.
    mutating func settle() throws(StorageError) {
        if journal.isDistrusted || owedReplacement {
            try fileErrors { (session) throws(FileError) in try session.replaceJournal() }
        }
        if restoration != .none { try restore() }
        if !intents.isEmpty { try resolveIntents() }
        try appendOwedRecords()
        if let tree = unhealed {
            mustRewrite = true
            _ = try write(tree)
        }
    }

    /// Tells the journal what could not be told when it became known.
    mutating func appendOwedRecords() throws(StorageError) {
        while let record = owedRecords.first {
            try append(record)
            owedRecords.removeFirst()
        }
    }

    /// Finds out what became of a checkpoint whose maker died in the middle.
    private mutating func resolveIntents() throws(StorageError) {
        let found = try readKnown()
        let standing = found?.version ?? .absent
        // The one that stands there, or that stood there when somebody looked, before it was edited.
        if let intent = intents.last(where: { $0.version == standing })
            ?? intents.last(where: { $0.version == version })
        {
            try fileErrors { (session) throws(FileError) in
                try session.operations.synchronizeFolder(session.names.folder)
            }
            try confirm(intent.version, coveredEnd: intent.coveredEnd)
            if let found, intent.version == standing { note(found, intent.version) }
        } else if let found, standing != version {
            // Nobody knows which version has been edited. Once the file can be read again, its values tell.
            guard let edited = try? decode(found.bytes) else { return }
            try takeInByValues(edited, from: found)
            intents = []
        } else {
            // Nothing came of them. Saying so keeps the file from being taken for one of them later.
            try append(.checkpointed(version, coveredEnd: coveredEnd))
            intents = []
        }
    }
}

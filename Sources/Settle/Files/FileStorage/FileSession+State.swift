/// The file of state: what the program only remembers. It is a mirror of the journal too, but no text of a person's, so
/// it is written anew each time.
extension FileSession {
    /// What the journal does not know of what the store has said.
    ///
    /// Until it has been told, others may write files without knowing it, so that it does not count yet.
    private var undeclared: JournalStateKeys? { declared.unknown(to: state.stateFile) }

    /// Whether the journal is to be told what is state.
    var hasUndeclared: Bool { hasWritten && undeclared != nil }

    /// Tells the journal what is state. Requires the lock.
    mutating func tellDeclared() throws(StorageError) {
        guard let keys = undeclared else { return declared.didKnow(state.stateFile) }
        try appendState(.state(keys))
    }

    /// The file of state that stands there.
    func readState() throws(StorageError) -> FileReading? { try operations.read(names.state) }

    /// Merges what others have written into the file of state since the last look, if there is one.
    mutating func mergeEditedState() throws(StorageError) {
        guard isStateChanged else { return }
        guard let reading = try readState(), state.stateFile.version(reading.version) == nil else {
            return try mergeState()
        }
        try lookAgain()
    }

    /// Forgets what a load has found in the files, and merges what is there by now.
    ///
    /// Under the lock: another process may just be merging it, or writing a version of its own. Without permission to
    /// write there is no lock, and what was seen is merged.
    mutating func lookAgain() throws(StorageError) {
        let isLocked = (try? acquire(isWriting: false)) != nil
        defer { if isLocked { release() } }
        try takeBackEdits(behind: journal.place)
        // State that somebody has typed into the file of settings comes last.
        if !state.stateFile.keys.isEmpty { try mergeState() }
        if case .edited(let reading, let edited) = try examine() { merge(edited, from: reading) }
    }

    /// The same under the lock, for a call that writes: what is written now comes after an edit.
    mutating func lookAtState() {
        if isStateChanged { try? mergeState() }
    }

    /// Whether the file of state may be another one, as far as the system tells at once.
    private var isStateChanged: Bool {
        guard !state.stateFile.keys.isEmpty else { return false }
        let status = try? operations.status(at: names.state)
        return status.map { FileSignature($0) } != seenState || status == nil
    }

    /// Finds out which of its versions the file of state has, and merges any other.
    private mutating func mergeState() throws(StorageError) {
        let found = try readState()
        seenState = found?.signature
        guard let reading = found, state.stateFile.version(reading.version) == nil else {
            return state.stateFile.didFind(found?.version, isCertain: journal.isLocked, over: inForce.tree)
        }
        do {
            let content = try spelling.decode(reading.bytes)
            tellEdit(state.stateFile.record(ofEdit: content, reading.version, over: inForce.tree, spelling.isSame))
        } catch {
            // Written again with the next checkpoint.
            inForce.announce(.unusable(.unusable(names.state, error)))
            state.stateFile.didFind(nil, isCertain: journal.isLocked, over: inForce.tree)
        }
    }

    /// Writes the file of state, if it lacks something. Requires the lock.
    ///
    /// The journal knows the version before the file has it, and the one before. Whichever stands there after a failure
    /// is no edit, and the next checkpoint writes what it lacks.
    mutating func writeState() throws(StorageError) {
        guard state.stateFile.isBehind(inForce.tree) else { return }
        try mergeState()
        guard state.stateFile.isBehind(inForce.tree) else { return }
        let bytes = try spelling.encode(state.stateFile.tree(of: inForce.tree))
        try tellJournal()
        try companions.setStateAside()
        let new = JournalState.Mirror(version: FileVersion(of: bytes))
        try tellVersions(state.stateFile.versions + [new])
        try synchronize()
        try companions.replaceState(with: bytes)
        try tellVersions([new])
    }

    private mutating func tellVersions(_ versions: [JournalState.Mirror]) throws(StorageError) {
        let mirrors = versions.map { JournalBase.Mirror($0, isOfState: true) }
        try appendState(.state(JournalStateKeys(mirrors: mirrors)))
    }
}

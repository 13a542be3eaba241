/// The state file, which has the values that the program only remembers. It is a mirror of the journal too, but not a
/// text that users write, so each write makes it again from the values.
extension FileSession {
    /// The store's declarations of state that the journal does not know.
    ///
    /// Until they are recorded, others may write files without knowing them, so they do not count yet.
    private var undeclared: JournalStateKeys? { declared.unknown(to: state.stateFile) }

    /// Whether to record in the journal which keys are state.
    var hasUndeclared: Bool { hasWritten && undeclared != nil }

    /// Records in the journal which keys are state. Requires the lock.
    mutating func tellDeclared() throws(StorageError) {
        guard let keys = undeclared else { return declared.didKnow(state.stateFile) }
        try appendState(.state(keys))
    }

    /// Reads the current state file.
    func readState() throws(StorageError) -> FileReading? { try operations.read(names.state) }

    /// Merges changes of others to the state file since the last check, if there are any.
    mutating func mergeEditedState() throws(StorageError) {
        guard isStateChanged else { return }
        guard let reading = try readState(), state.stateFile.version(reading.version) == nil else {
            return try mergeState()
        }
        try lookAgain()
    }

    /// Discards the edits that a load has found in the files, and merges the current ones.
    ///
    /// Under the lock: another process may just be merging them, or writing a version of its own. Without permission to
    /// write there is no lock, and the edits that were seen are merged.
    mutating func lookAgain() throws(StorageError) {
        let isLocked = (try? acquire(isWriting: false)) != nil
        defer { if isLocked { release() } }
        try takeBackEdits(behind: journal.place)
        // State that was typed into the settings file comes last.
        if !state.stateFile.keys.isEmpty { try mergeState() }
        if case .edited(let reading, let edited) = try examine() { merge(edited, from: reading) }
    }

    /// Merges the state file under the lock, for a call that writes: values written now come after an edit.
    mutating func lookAtState() {
        if isStateChanged { try? mergeState() }
    }

    /// Whether the state file may be another one, as far as its status shows at once.
    var isStateChanged: Bool {
        guard !state.stateFile.keys.isEmpty else { return false }
        let status = try? operations.status(at: names.state)
        return status.map { FileSignature($0) } != seenState || status == nil
    }

    /// Determines which of its versions the state file has, and merges any other.
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
            // The next checkpoint writes it again.
            inForce.announce(.unusable(.unusable(names.state, error)))
            state.stateFile.didFind(nil, isCertain: journal.isLocked, over: inForce.tree)
        }
    }

    /// Writes the state file, if it lacks something. Requires the lock.
    ///
    /// The journal knows the new version before the file has it, and the previous one. Whichever of them is there after
    /// a failure is not an edit, and the next checkpoint writes what it lacks.
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
        let mirrors = versions.suffix(JournalBase.mirrorLimit).map { JournalBase.Mirror($0, isOfState: true) }
        try appendState(.state(JournalStateKeys(mirrors: mirrors)))
    }
}

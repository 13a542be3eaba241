import Synchronization

/// Loading without waiting.
extension FileStorage {
    /// Loads as ``load()`` does, if that needs only what the system has in memory, and finds nothing to report. Never
    /// waits.
    ///
    /// - Parameters:
    ///   - place: The files to which the path leads.
    ///   - isReader: Whether the journal is opened for reading only.
    /// - Returns: `nil` otherwise. Nothing has changed then, and ``load()`` decides.
    func loadAtOnce(_ place: FilePlace, by calls: CachedSystemCalls, isReader: Bool = false) -> StorageContents? {
        guard isFile else { return nil }
        let operations = isReader ? FileOperations(ReadOnlySystemCalls(calls)) : FileOperations(calls)
        let contents = withLockIfAvailable { session -> StorageContents? in
            guard session.spelling.isKnown, let contents = session.loadAtOnce(place, by: operations, calls) else {
                return nil
            }
            knowsState.store(!session.state.stateFile.keys.isEmpty, ordering: .relaxed)
            remember(session)
            return contents
        }
        return contents ?? nil
    }

    /// Reads the values of a settings file without a storage, if that needs only what the system has in memory: those
    /// of a file that has neither a journal nor a file of state, or none of a missing one. Never waits.
    ///
    /// - Parameters:
    ///   - path: The path of the file as given.
    ///   - names: The file to which it leads.
    /// - Returns: The values that ``load()`` would find, and the file; `nil` if only a storage can decide.
    static func contentsWithoutJournal(
        of path: FilePath, _ names: FileNames, by calls: CachedSystemCalls
    ) -> (tree: SettingTree, reading: FileReading?)? {
        let (operations, spelling) = (FileOperations(calls), FileSpelling(path, chosen: nil))
        guard spelling.isKnown, names.file.name.utf8.count <= FileNames.lengthLimit else { return nil }
        do {
            // The file first, as in a load: whatever a program has stored since then, it has a journal.
            let reading = try operations.read(names.file)
            guard try operations.statusIfThere(at: names.journal) == nil,
                try operations.statusIfThere(at: names.state) == nil
            else { return nil }
            guard let reading else { return (SettingTree(), nil) }
            // If it was removed together with its journal, it may have been replaced.
            let status = try operations.statusIfThere(at: names.file)
            guard status.map({ FileSignature($0) }) == reading.signature else { return nil }
            return (try spelling.decode(reading.bytes), reading)
        } catch {
            return nil
        }
    }
}

extension CachedSystemCalls {
    /// Follows the path of a file, which the caller opens next: that refuses a link at the end of the path.
    ///
    /// - Returns: `nil` if there is a link on the way, or if a folder is missing or not on a disk of this machine; that
    ///   is a refusal.
    func place(of path: FilePath) -> FilePlace? {
        let names = FileNames(path)
        return reaches(names) ? FilePlace(names: names) : nil
    }
}

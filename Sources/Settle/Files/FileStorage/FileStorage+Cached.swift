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
}

extension CachedSystemCalls {
    /// Follows the path of a file.
    ///
    /// - Returns: `nil` if there is a link on the way or at its end, or if a folder is missing or not on a disk of this
    ///   machine; that is a refusal.
    func place(of path: FilePath) -> FilePlace? {
        let names = FileNames(path)
        return reaches(names) ? FilePlace(names: names) : nil
    }
}

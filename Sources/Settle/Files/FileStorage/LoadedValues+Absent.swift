/// What a file means that is not there.
extension LoadedValues {
    /// Whether nothing in a journal shows that there was a file with values, so that an empty one counts as none. A
    /// journal without a record shows that something has happened here.
    static func hasNeverHadFile(_ log: JournalReading?) -> Bool {
        guard let log else { return true }
        var copy = Optional(log)
        return log.damage.isEmpty && !log.records.isEmpty && !LoadedValues(&copy).hadFile
    }

    /// Tells a file that has never been there from one that was removed, of which the values go.
    ///
    /// - Parameter remnant: What stands beside it and shows that there was one, if there is anything. It is asked for
    ///   only if the journal does not say.
    mutating func outcomeWithoutFile(
        _ names: FileNames, remnant: @autoclosure () throws(StorageError) -> FilePath?
    ) throws(StorageError) -> StorageContents.Outcome {
        if state.mirror(.absent) == nil {
            removeFile()
            return .removed(names, leaving: tree, "its journal shows that it existed")
        }
        // What has been stored since the removal was noticed counts for itself, although the file is not written yet.
        if !tree.root.isEmpty { return .intact }
        if hadFile { return .removed(names, leaving: tree, "its journal shows that it existed") }
        if let remnant = try remnant() { return .removed(names, leaving: tree, "“\(remnant.name)” is still there") }
        return hadValues || hasStateFile ? .intact : .absent
    }
}

/// The meaning of a missing file.
extension LoadedValues {
    /// Returns whether nothing in a journal shows that there was a file with values, so that an empty file counts as
    /// missing. A journal without a record shows that something has happened here.
    static func hasNeverHadFile(_ log: JournalReading?) -> Bool {
        guard let log else { return true }
        var copy = Optional(log)
        return log.damage.isEmpty && !log.records.isEmpty && !LoadedValues(&copy).hadFile
    }

    /// Distinguishes a file that has never been there from one that was removed, whose values are removed too.
    ///
    /// - Parameter remnant: A file beside it that shows that there was one, if any. It is read only if the journal does
    ///   not decide.
    mutating func outcomeWithoutFile(
        _ names: FileNames, remnant: @autoclosure () throws(StorageError) -> FilePath?
    ) throws(StorageError) -> StorageContents.Outcome {
        if state.mirror(.absent) == nil {
            removeFile()
            return .removed(names, leaving: tree, "its journal shows that it existed")
        }
        // Values stored since the removal was noticed count on their own, although the file is not written yet.
        if !tree.root.isEmpty { return .intact }
        if hadFile { return .removed(names, leaving: tree, "its journal shows that it existed") }
        if let remnant = try remnant() { return .removed(names, leaving: tree, "“\(remnant.name)” is still there") }
        return hadValues || hasStateFile ? .intact : .absent
    }
}

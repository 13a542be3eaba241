extension FileSession {
    /// Reads the file; `nil` if something else has its name now, or if it is empty and there was none before.
    func readKnown() throws(StorageError) -> FileReading? {
        guard (try? isFileMissing()) != true, let reading = try operations.read(names.file) else { return nil }
        return file.version == .absent && reading.bytes.isEmpty ? nil : reading
    }

    /// Opens the journal and reads all of it.
    ///
    /// - Returns: `nil` if there is none.
    mutating func readJournal() throws(StorageError) -> JournalReading? {
        try StorageError.reading(journal.path, journal.open()) ? try rereadJournal() : nil
    }

    /// Reads all of the journal that is open.
    mutating func rereadJournal() throws(StorageError) -> JournalReading {
        let reading = try StorageError.reading(journal.path, journal.scan(limit: Self.journalSizeLimit))
        if let newer = reading.newerVersion { throw .newer(journal.path, newer) }
        return reading
    }
}

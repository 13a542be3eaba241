extension FileSession {
    /// The file; `nil` also if something else has its name by now, or if it is empty and there was none before.
    func readKnown() throws(StorageError) -> FileReading? {
        guard (try? isFileMissing()) != true, let reading = try operations.read(names.file) else { return nil }
        return file.version == .absent && reading.bytes.isEmpty ? nil : reading
    }

    /// Opens the journal and reads all of it.
    ///
    /// - Returns: `nil` if there is none.
    mutating func readJournal() throws(StorageError) -> JournalReading? {
        let isThere = try fileErrors(of: journal.path, as: StorageError.unreadable) { (session) throws(FileError) in
            try session.journal.open()
        }
        return isThere ? try rereadJournal() : nil
    }

    /// Reads all of the journal that is open.
    mutating func rereadJournal() throws(StorageError) -> JournalReading {
        let reading = try fileErrors(of: journal.path, as: StorageError.unreadable) { (session) throws(FileError) in
            try session.journal.scan(limit: Self.journalSizeLimit)
        }
        if let newer = reading.newerVersion { throw .unreadable(journal.path, "\(newer)") }
        return reading
    }
}

/// Handling of damaged files. The load that finds the damage reports it, and the file is put aside before another one
/// replaces it.
extension FileSession {
    var aside: FilesPutAside { FilesPutAside(operations: operations, names: names) }

    // MARK: The file

    /// Continues without a damaged file.
    mutating func damaged(
        _ damage: any Error, _ version: FileVersion, _ found: inout LoadedValues
    ) throws(StorageError) -> StorageContents.Outcome {
        // If the journal is missing or incomplete, the previous version is better than nothing.
        let earlier = found.isComplete ? nil : try companions.earlierVersion()
        if !found.isComplete { found.use(earlier?.tree ?? SettingTree()) }
        if let earlier { spelling.format = spelling.format(toReplace: earlier.reading.bytes) }
        file.didFindDamaged(version)
        repairs.insert(.healFile)
        return .damaged(names, damage, hasEarlier: earlier != nil, found)
    }

    /// Gives the file a second name, if it is still the damaged one, and writes the values in force under its own name.
    ///
    /// The damaged file loses its name only when a good version is renamed over it. So a crash in between leaves a
    /// damaged file, and never a missing one, which would look like settings that were never changed.
    mutating func healFile() throws(StorageError) {
        guard file.standing == .damaged, let reading = try operations.read(names.file), reading.version == file.version
        else {
            // It was corrected, or the next version has replaced it already.
            repairs.remove(.healFile)
            if file.standing == .damaged { file.forgetDamage() }
            return
        }
        guard let name = try aside.link(reading.status.identity) else { return }
        // Its second name has changed its status.
        file.didFindDamaged(reading.version)
        try write(into: companions.earlierVersion()?.reading)
        inForce.announce(.unusable(.setAside(names.file, as: name)))
    }

    // MARK: The journal

    /// Copies a damaged journal before another one replaces it.
    mutating func setJournalAside() throws(FileError) {
        guard repairs.contains(.setJournalAside) else { return }
        let bytes = try journal.readAll(limit: Self.journalSizeLimit)
        try aside.copy(bytes, to: names.corruptJournal)
        repairs.remove(.setJournalAside)
    }
}

/// What can't be read. It is told by the load that finds it, and put aside before anything is written in its place.
extension FileSession {
    var aside: FilesPutAside { FilesPutAside(operations: operations, names: names) }

    // MARK: The file

    /// Goes on without a damaged file.
    mutating func damaged(
        _ damage: any Error, _ version: FileVersion, _ found: inout LoadedValues
    ) throws(StorageError) -> StorageContents.Outcome {
        // Where there is no journal, or not all of it, the version before is better than nothing.
        let earlier = found.isComplete ? nil : try companions.earlierVersion()
        if !found.isComplete { found.use(earlier?.tree ?? SettingTree()) }
        if let earlier { spelling.format = spelling.format(toReplace: earlier.reading.bytes) }
        file.didFindDamaged(version)
        repairs.insert(.healFile)
        return .damaged(names, damage, hasEarlier: earlier != nil, found)
    }

    /// Gives the file a second name, if it is still the damaged one, and its own name to what is in force.
    ///
    /// It loses its name only when a good version is renamed over it: a crash in between leaves a damaged file, and
    /// never none, which would pass for settings that were never changed.
    mutating func healFile() throws(StorageError) {
        guard file.standing == .damaged, let reading = try operations.read(names.file), reading.version == file.version
        else {
            // Somebody has corrected it, or the next version has taken its place already.
            repairs.remove(.healFile)
            if file.standing == .damaged { file.forgetDamage() }
            return
        }
        guard let name = try aside.link(reading.status.identity) else { return }
        // Its second name has changed what the system says of it.
        file.didFindDamaged(reading.version)
        try write(into: companions.earlierVersion()?.reading)
        inForce.announce(.unusable(.setAside(names.file, as: name)))
    }

    // MARK: The journal

    /// Copies a damaged journal before another one takes its place.
    mutating func setJournalAside() throws(FileError) {
        guard repairs.contains(.setJournalAside) else { return }
        let bytes = try journal.readAll(limit: Self.journalSizeLimit)
        try aside.copy(bytes, to: names.corruptJournal)
        repairs.remove(.setJournalAside)
    }
}

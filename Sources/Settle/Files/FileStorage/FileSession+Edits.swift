extension FileSession {
    /// The state of the file at the path.
    enum Examination {
        /// The known version, or one that this program is just writing; with its text, if it has been read.
        case current(FileReading?)
        case absent
        case edited(FileReading, SettingTree)
        /// It can't be used. The store is notified.
        case unusable
        /// Another journal has replaced the one that is open, and the file belongs to the new one.
        case superseded
    }

    /// Checks whether others have changed the file.
    ///
    /// - Parameter readsText: Whether to read the file in any case.
    mutating func examine(readsText: Bool = false) throws(StorageError) -> Examination {
        let status = file.hasSignature && !readsText ? try? fileStatus() : nil
        if file.recognize(status) { return .current(nil) }
        let found = try readKnown()
        switch file.examine(found, begun: state.mirrors.dropFirst().map(\.version)) {
        case .current: return .current(found)
        case .rejected: return .unusable
        case .absent:
            repairs.insert(.restoreFile)
            return .absent
        case .changed(let reading):
            // A process that writes the file has a journal at the journal's path before.
            if journal.isOpen, (try? journal.isReplaced()) == true { return .superseded }
            do {
                return .edited(reading, try spelling.decode(reading.bytes))
            } catch {
                reject(reading, error)
                return .unusable
            }
        }
    }

    /// Merges edits of others before the file is written.
    ///
    /// - Parameter text: Is set to the reading of the current file.
    /// - Returns: Whether the file can be replaced now.
    mutating func mergeFile(_ text: inout FileReading?) throws(StorageError) -> Bool {
        switch try examine(readsText: true) {
        case .current(let reading): text = reading
        case .absent: break
        case .edited(let reading, let edited):
            merge(edited, from: reading)
            text = reading
        case .unusable, .superseded: return false
        }
        return true
    }

    /// Leaves an unusable version alone, and reports the reason.
    mutating func reject(_ reading: FileReading, _ reason: any Error) {
        file.reject(reading)
        inForce.announce(.unusable(.unusable(names.file, reason)))
    }

    /// Merges an edit: as a record in the journal, so that all processes see it in the same order among the changes.
    mutating func merge(_ edited: SettingTree, from reading: FileReading) {
        let batch = state.edit(of: edited, over: inForce.tree, spelling.isSame)
        spelling.format = spelling.format(toReplace: reading.bytes)
        file.didMerge(reading, reading.version)
        let difference = MirrorDifference(from: inForce.tree.with(batch), to: edited, spelling.isSame)
        tellEdit(.edited(JournalBase.Mirror(reading.version, difference.entries), batch))
    }
}

extension FileSession {
    /// What stands at the file's path.
    enum Examination {
        /// The version that is known, or one that this program is just writing; with its text, if it has been read.
        case current(FileReading?)
        case absent
        case edited(FileReading, SettingTree)
        /// It can't be used. The store is told.
        case unusable
        /// Another journal has taken the place of the one that is open, and the file belongs to that.
        case superseded
    }

    /// Finds out whether the file has been changed by others.
    ///
    /// - Parameter readsText: Whether it is read in any case.
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
            // Whoever writes the file has a journal at its path before.
            if journal.isOpen, (try? journal.isReplaced()) == true { return .superseded }
            do {
                return .edited(reading, try spelling.decode(reading.bytes))
            } catch {
                reject(reading, error)
                return .unusable
            }
        }
    }

    /// Merges what others have written, before the file is written.
    ///
    /// - Parameter text: Is set to what stands there.
    /// - Returns: Whether something can be put in its place now.
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

    /// Leaves a version alone that can't be used, and says why.
    mutating func reject(_ reading: FileReading, _ reason: any Error) {
        file.reject(reading)
        inForce.announce(.unusable(.unusable(names.file, reason)))
    }

    /// Merges an edit: as a record in the journal, so that all processes see it at the same place among the
    /// changes.
    mutating func merge(_ edited: SettingTree, from reading: FileReading) {
        let batch = state.edit(of: edited, over: inForce.tree, spelling.isSame)
        spelling.format = spelling.format(toReplace: reading.bytes)
        file.didMerge(reading, reading.version)
        let difference = MirrorDifference(from: inForce.tree.with(batch), to: edited, spelling.isSame)
        tellEdit(.edited(JournalBase.Mirror(reading.version, difference.entries), batch))
    }
}

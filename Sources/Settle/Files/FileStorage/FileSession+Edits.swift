extension FileSession {
    /// What stands at the file's path.
    enum Examination {
        /// The version that is known, or one that this program is just writing.
        case current
        case absent
        case edited(FileReading, SettingTree)
        /// It can't be used. The store is told.
        case unusable
    }

    /// Finds out whether the file has been changed by others.
    mutating func examine() throws(StorageError) -> Examination {
        let status = file.hasSignature ? try? fileStatus() : nil
        if file.recognize(status) { return .current }
        switch file.examine(try readKnown(), begun: repairs.begun) {
        case .current: return .current
        case .rejected: return .unusable
        case .absent:
            repairs.add(.storeEverything)
            return .absent
        case .changed(let reading):
            do {
                return .edited(reading, try decode(reading.bytes))
            } catch {
                reject(reading, error)
                return .unusable
            }
        }
    }

    /// Leaves a version alone that can't be used, and says why.
    mutating func reject(_ reading: FileReading, _ reason: any Error) {
        let error = StorageError(
            .unreadable,
            "“\(names.file)” can't be used as it is. \(reason) The last good values stay in force, and the file is not "
                + "overwritten until it is corrected.")
        file.reject(reading.version)
        inForce.announce(.unusable(error))
    }

    /// Merges an edit: as a record in the journal, so that all processes see it at the same place among the
    /// changes.
    ///
    /// - Parameter tree: All values as they were known; gets the edited ones.
    mutating func merge(
        _ edited: SettingTree, from reading: FileReading, over tree: inout SettingTree
    ) throws(StorageError) {
        guard contents.overlay.tree == nil else {
            tree = try mergeByValues(edited, from: reading)
            return
        }
        let difference = difference(from: tree, to: edited, contents.overlay)
        var batch = difference.batch
        if !batch.entries.isEmpty { batch.transactions = transactions(ofEdit: batch, of: tree) }
        format = format(toReplace: reading.bytes)
        file.didMergeEdit(reading)
        let token = tell(.edited(reading.version, batch))
        contents.keepReplaced(by: batch) { [tree] key, _ in tree[key].map { .value($0) } ?? .absent }
        contents.overlay.add(edited: batch)
        if !batch.entries.isEmpty {
            tree.apply(batch.values)
            inForce.announce(.values(batch.values), token: token)
        }
    }

    /// What an edit has changed.
    func difference(from tree: SettingTree, to edited: SettingTree, _ overlay: JournalOverlay) -> TreeDifference {
        var difference = TreeDifference(from: overlay.base(of: tree), to: edited) { isSpelledAlike($0, $1) }
        difference.leaveOutNewEmptyDictionaries { overlay.hasEntries(within: $0) }
        return difference
    }

    /// Merges an edit when it is not known any more what the file had before: each key is decided by the values that it
    /// has had.
    ///
    /// - Returns: All values.
    @discardableResult
    mutating func mergeByValues(_ edited: SettingTree, from reading: FileReading) throws(StorageError) -> SettingTree {
        let end = journal.end
        let log = try rereadJournal()
        merge(log.records.filter { $0.offset >= end.offset })
        var tree = edited
        _ = JournalReplay(records: log.records, file: reading.version).apply(to: &tree) { [self] in isSame($0, $1) }
        format = format(toReplace: reading.bytes)
        file.didMergeEdit(reading)
        tell(
            ofEdit: file.version, leadingTo: tree,
            TreeDifference(from: inForce.tree, to: tree) { [self] in isSpelledAlike($0, $1) }.batch)
        inForce.announce(.everything(tree))
        return tree
    }
}

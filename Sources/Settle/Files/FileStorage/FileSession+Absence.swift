/// What a missing file means.
extension FileSession {
    /// Tells a file that has never been there from one that was removed.
    ///
    /// What has been stored since the removal was noticed counts for itself, although the file is not written yet.
    ///
    /// - Parameter tree: The values that are used.
    func outcomeWithoutFile(
        _ records: [(offset: Int, record: JournalRecord)], leadingTo tree: SettingTree
    ) throws(StorageError) -> StorageContents.Outcome {
        let history = FileHistory(records)
        if history.isPresentAtEnd { return removed(leaving: tree, "its journal shows that it existed") }
        if history.hasValuesAfter { return .intact }
        if history.wasPresent { return removed(leaving: tree, "its journal shows that it existed") }
        if let remnant = try remnant() { return removed(leaving: tree, "“\(remnant.name)” is still there") }
        return .absent
    }

    /// Whether an empty file counts as none: it was made for the settings to come. If anything shows that there was
    /// a file with values, it is damaged. A journal without a record shows that something has happened here.
    func hasNeverHadValues(_ log: JournalReading?) throws(StorageError) -> Bool {
        if let log {
            guard log.damage.isEmpty, !log.records.isEmpty, !FileHistory(log.records).wasPresent else { return false }
        }
        return try remnant() == nil
    }

    /// What is there only if there was a file.
    private func remnant() throws(StorageError) -> FilePath? {
        for remnant in [names.previous, names.corrupt(1), names.corruptJournal(1)] where try exists(remnant) {
            return remnant
        }
        return nil
    }

    private func removed(leaving tree: SettingTree, _ evidence: String) -> StorageContents.Outcome {
        let keys = tree.root.keys.sorted().joined(separator: ", ")
        let exception = keys.isEmpty ? "" : ", except those in the journal (\(keys))"
        return .removed(
            description: "“\(names.file)” has been removed: \(evidence). Every setting has its default\(exception).")
    }

    private func exists(_ path: FilePath) throws(StorageError) -> Bool {
        do {
            _ = try operations.status(at: path)
            return true
        } catch {
            guard error.cause == .notFound else { throw .unreadable(path, error) }
            return false
        }
    }
}

/// What a journal says about whether there was a file.
private struct FileHistory {
    /// At some time.
    var wasPresent = false
    /// As far as the journal knows, there is one.
    var isPresentAtEnd = false
    /// The journal has values that came after the last word about the file, or that no file has had.
    var hasValuesAfter = false

    init(_ records: [(offset: Int, record: JournalRecord)]) {
        var coveredEnd = 0
        var lastValues: Int?
        for (offset, record) in records {
            switch record.content {
            case .values(let batch):
                if !batch.entries.isEmpty || batch.tree?.root.isEmpty == false { lastValues = offset }
            case .checkpoint, .kept, .history, .past: continue
            case .checkpointed(let version, let end):
                note(version)
                coveredEnd = max(coveredEnd, end)
            case .edited(let version, _):
                note(version)
                // That its absence was noticed shows that it was there.
                wasPresent = true
                lastValues = nil
            }
        }
        hasValuesAfter = lastValues.map { $0 >= coveredEnd } ?? false
    }

    private mutating func note(_ version: FileVersion) {
        isPresentAtEnd = version != .absent
        wasPresent = wasPresent || isPresentAtEnd
    }
}

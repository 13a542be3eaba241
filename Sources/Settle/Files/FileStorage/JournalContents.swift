/// What the journal says, as far as it has been read and written.
///
/// Pure: it is told each record in its order.
struct JournalContents: Sendable {
    /// What it has beyond the file.
    var overlay = JournalOverlay()
    /// What stood at keys before they were edited.
    var kept = LastGoodValues()
    /// What is kept of the past; `nil` if the journal says nothing of it.
    var history: JournalHistory?
    /// The keys of which its records list values, to whoever asks for the past.
    var listed = MentionedKeys()
    /// Up to where the file has everything that the journal has.
    var coveredEnd = 0

    /// A record has been read or appended.
    mutating func add(_ record: JournalRecord.Content) {
        switch record {
        case .values(let batch):
            removeKept(writtenBy: batch)
            overlay.add(batch)
        case .edited(_, let batch):
            keepReplaced(by: batch) { [overlay] key, before in overlay.newest(at: key) ?? before }
            overlay.add(edited: batch)
        case .kept(let batch): kept.decide(batch)
        case .history(var new):
            // A secret stays one.
            new.secrets.formUnion(history?.secrets ?? [])
            history = new
        case .past: break
        case .checkpoint: break
        case .checkpointed(_, let coveredEnd):
            // A confirmation that nothing came of a checkpoint covers no more than before.
            if coveredEnd > self.coveredEnd || overlay.isEmpty { overlay.removeAll() }
            self.coveredEnd = max(self.coveredEnd, coveredEnd)
        }
    }

    // MARK: Kept values

    /// What a program has written is in force, whatever stood there before.
    private mutating func removeKept(writtenBy batch: JournalBatch) {
        // Without a revision it is what a journal repeats, or what was edited.
        guard batch.revision != 0, !kept.isEmpty else { return }
        for entry in batch.entries { kept.remove(at: entry.key) }
    }

    /// Keeps what an edit has replaced. What was removed by hand is not wanted any more.
    ///
    /// - Parameter newest: What stood at a key until then, given what the record says of it.
    mutating func keepReplaced(
        by batch: JournalBatch, _ newest: (SettingKey, JournalEntry.Before) -> JournalEntry.Before = { $1 }
    ) {
        for entry in batch.entries {
            if entry.value == nil {
                kept.remove(at: entry.key)
            } else if case .value(let value) = newest(entry.key, entry.before), value != entry.value {
                kept.add(value, at: entry.key)
            }
        }
    }

    /// The last records of a new journal. With the kept values, those that stand before them do not count as written
    /// anew.
    var lastingRecords: [JournalRecord.Content] {
        (kept.batch.map { [.kept($0)] } ?? []) + (history.map { [.history($0)] } ?? [])
    }

    // MARK: A new journal

    /// The first records of the journal that takes the place of this one: how the file came to be a version, and what
    /// it does not have.
    ///
    /// - Parameters:
    ///   - version: That of the file.
    ///   - previous: The version before it.
    ///   - records: Those of this journal, if they can be read.
    ///   - tree: All values, if the journal has told them all since the last checkpoint.
    ///   - begun: The checkpoints that were begun and have not been confirmed.
    ///   - isContinued: Whether the new one goes on from this one. It always says with what then: see
    ///     ``FileSession/mergeFork(_:)``.
    func beginning(
        of version: FileVersion, after previous: FileVersion, _ records: [(offset: Int, record: JournalRecord)],
        leadingTo tree: SettingTree? = nil, begun: [PendingRepairs.Checkpoint] = [], isContinued: Bool
    ) -> [JournalRecord.Content] {
        let start =
            way(from: previous, to: version, records, leadingTo: tree)
            + [.checkpointed(version, coveredEnd: JournalFile.here)]
        if overlay.tree != nil, !records.isEmpty {
            return start + Self.history(records.filter { $0.offset >= coveredEnd }.map(\.record.content))
        }
        if tree == nil, !begun.isEmpty, !records.isEmpty { return start + parted(records, by: begun) }
        return overlay.isEmpty && !isContinued ? start : start + [.values(overlay.batch)]
    }

    /// What the journal has beyond the file, and where the checkpoints stand in it. The file may be any of them.
    private func parted(
        _ records: [(offset: Int, record: JournalRecord)], by begun: [PendingRepairs.Checkpoint]
    ) -> [JournalRecord.Content] {
        var result: [JournalRecord.Content] = []
        var start = coveredEnd
        for checkpoint in begun {
            result.append(.values(Self.batch(records, start..<max(start, checkpoint.coveredEnd))))
            result.append(.checkpoint(checkpoint.version, coveredEnd: JournalFile.here))
            start = max(start, checkpoint.coveredEnd)
        }
        return result + [.values(Self.batch(records, start..<Int.max))]
    }

    private static func batch(
        _ records: [(offset: Int, record: JournalRecord)], _ range: Range<Int>
    ) -> JournalBatch {
        var overlay = JournalOverlay()
        for (offset, record) in records where range.contains(offset) { overlay.add(record.content) }
        return overlay.batch
    }

    /// What leads from the version before to the present one, so that the newest values are known should the file be
    /// damaged.
    private func way(
        from previous: FileVersion, to version: FileVersion, _ records: [(offset: Int, record: JournalRecord)],
        leadingTo tree: SettingTree?
    ) -> [JournalRecord.Content] {
        guard !records.isEmpty, previous != version else { return [] }
        let beginning = JournalRecord.Content.checkpointed(previous, coveredEnd: JournalFile.here)
        // An edit has told all values, and what the file has of them is not in the overlay any more.
        if let tree, overlay.tree == nil { return [beginning, .values(JournalBatch(revision: 0, tree: tree))] }
        guard let start = JournalReplay.coveredEnd(of: previous, in: records) else { return [] }
        var way = JournalOverlay()
        for (offset, record) in records where offset >= start && offset < coveredEnd { way.add(record.content) }
        return way.isEmpty ? [beginning] : [beginning, .values(way.batch)]
    }

    /// What the journal has beyond the file where it is not known any more what the file had: the values that keys have
    /// had tell what was edited. The first and the last of each key are enough, since the file has never had those in
    /// between.
    private static func history(_ contents: [JournalRecord.Content]) -> [JournalRecord.Content] {
        let last = contents.lastIndex { $0.batch?.tree != nil } ?? contents.startIndex
        var before = JournalOverlay()
        for content in contents[..<last] where content.batch?.tree == nil { before.add(content) }
        var after = JournalOverlay()
        for content in contents[last...].dropFirst() { after.add(content) }
        let tree = contents.indices.contains(last) ? contents[last].batch : nil
        return [before.batch, tree, after.batch].compactMap { batch in
            batch.flatMap { $0.entries.isEmpty && $0.tree == nil ? nil : .values($0) }
        }
    }
}

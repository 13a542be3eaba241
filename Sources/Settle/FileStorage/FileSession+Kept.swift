/// Values that somebody has edited away, kept for the case that what was put in their place can't be used.
extension FileSession {
    /// What may be used at a key in the place of what is stored there.
    func keptValues(at key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        kept.candidates(at: key, insteadOf: stored)
    }

    /// Keeps what the store has said is in force, beside what is stored. `nil`: nothing need be kept.
    mutating func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) {
        guard !kept.isEmpty || values.contains(where: { $0.value != nil }) else { return }
        var entries: [JournalEntry] = []
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            if let value {
                if !kept.isDecided(value, at: key) { entries.append(KeptValues.entry(key, [value])) }
            } else if kept.remove(at: key) {
                entries.append(KeptValues.entry(key, []))
            }
        }
        guard let batch = KeptValues.batch(of: entries) else { return }
        kept.decide(batch)
        try acquire()
        defer { release() }
        // What others have appended meanwhile may have changed what is kept. This is said later, and counts.
        kept.decide(batch)
        try append(.kept(batch))
    }

    /// The last records of a new journal: with them the values that stand before them do not count as written anew.
    var keptRecords: [JournalRecord.Content] {
        kept.batch.map { [.kept($0)] } ?? []
    }

    /// What a program has written is in force, whatever stood there before.
    mutating func noteWritten(_ batch: JournalBatch) {
        // Without a revision it is what a journal repeats, or what somebody has edited.
        guard batch.revision != 0, !kept.isEmpty else { return }
        for entry in batch.entries { kept.remove(at: entry.key) }
    }

    /// Keeps what an edit has replaced. What somebody has removed is not wanted any more.
    ///
    /// - Parameter newest: What stood at a key until then, given what the record says of it.
    mutating func keepReplaced(
        by batch: JournalBatch, _ newest: (SettingKey, JournalEntry.Before) -> JournalEntry.Before
    ) {
        for entry in batch.entries {
            if entry.value == nil {
                kept.remove(at: entry.key)
            } else if case .value(let value) = newest(entry.key, entry.before), value != entry.value {
                kept.add(value, at: entry.key)
            }
        }
    }

    /// Keeps what an edit has replaced that was made while no process had the file open: the version before and the journal
    /// lead to what stood there.
    mutating func keepReplaced(by edited: SettingTree, _ records: [(offset: Int, record: JournalRecord)]) {
        let earlier = (try? earlierVersion()) ?? nil
        guard let batches = JournalReplay.batches(from: earlier?.version ?? .absent, in: records) else { return }
        var tree = earlier?.tree ?? SettingTree()
        var changed = JournalOverlay()
        for batch in batches { changed.add(batch) }
        changed.apply(to: &tree)
        let difference = TreeDifference(from: tree, to: edited) { [self] in isSpelledAlike($0, $1) }
        keepReplaced(by: difference.batch) { $1 }
        // For each key that was edited, also for those of which nothing is kept now.
        let entries = difference.batch.entries.map { KeptValues.entry($0.key, kept.values[$0.key] ?? []) }
        guard let batch = KeptValues.batch(of: entries) else { return }
        let record = JournalRecord.Content.kept(batch)
        if !journal.isLocked || (try? append(record)) == nil { repairs.tell(record) }
    }
}

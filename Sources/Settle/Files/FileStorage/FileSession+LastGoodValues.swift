/// Values that were edited away, kept for the case that what was put in their place can't be used.
extension FileSession {
    /// What may be used at a key in the place of what is stored there.
    func keptValues(at key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        contents.kept.candidates(at: key, insteadOf: stored)
    }

    /// Keeps what the store has said is in force, beside what is stored. `nil`: nothing need be kept.
    mutating func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) {
        guard !contents.kept.isEmpty || values.contains(where: { $0.value != nil }) else { return }
        var entries: [JournalEntry] = []
        for (key, value) in values.sorted(by: \.key) {
            if let value {
                if !contents.kept.isDecided(value, at: key) { entries.append(LastGoodValues.entry(key, [value])) }
            } else if contents.kept.remove(at: key) {
                entries.append(LastGoodValues.entry(key, []))
            }
        }
        guard let batch = LastGoodValues.batch(of: entries) else { return }
        contents.kept.decide(batch)
        try acquire()
        defer { release() }
        // What others have appended meanwhile may have changed what is kept. This is said later, and counts.
        contents.kept.decide(batch)
        try append(.kept(batch))
    }

    /// What an edit has changed that was made while no process had the file open: the version before and the journal
    /// lead to what stood there. `nil` if they don't.
    func differenceFromEarlier(
        to edited: SettingTree, _ records: [(offset: Int, record: JournalRecord)]
    ) -> JournalBatch? {
        let earlier = (try? earlierVersion()) ?? nil
        guard let batches = JournalReplay.batches(from: earlier?.version ?? .absent, in: records) else {
            return nil
        }
        var tree = earlier?.tree ?? SettingTree()
        JournalOverlay(batches).apply(to: &tree)
        return TreeDifference(from: tree, to: edited) { isSpelledAlike($0, $1) }.batch
    }

    /// Keeps what such an edit has replaced.
    mutating func keepReplaced(by difference: JournalBatch) {
        contents.keepReplaced(by: difference)
        // For each key that was edited, also for those of which nothing is kept now.
        let entries = difference.entries.map { LastGoodValues.entry($0.key, contents.kept.values[$0.key] ?? []) }
        guard let batch = LastGoodValues.batch(of: entries) else { return }
        tell(.kept(batch))
    }
}

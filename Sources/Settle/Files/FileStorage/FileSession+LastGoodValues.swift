/// Values that were edited away, kept for the case that what was put in their place can't be used.
extension FileSession {
    /// What may be used at a key in the place of what is stored there.
    func keptValues(at key: SettingKey, insteadOf stored: SettingValue?) -> [SettingValue] {
        state.kept.candidates(at: key, insteadOf: stored)
    }

    /// Keeps what the store has said is in force, beside what is stored. `nil`: nothing need be kept.
    mutating func keep(_ values: [SettingKey: SettingValue?]) throws(StorageError) {
        guard !state.kept.isEmpty || values.contains(where: { $0.value != nil }) else { return }
        var entries: [JournalEntry] = []
        for (key, value) in values.sorted(by: \.key) {
            if let value {
                if !state.kept.isDecided(value, at: key) { entries.append(LastGoodValues.entry(key, [value])) }
            } else if state.kept.remove(at: key) {
                entries.append(LastGoodValues.entry(key, []))
            }
        }
        guard let batch = LastGoodValues.batch(of: entries) else { return }
        state.kept.decide(batch)
        try acquire()
        defer { release() }
        // What others have appended meanwhile may have changed what is kept. This is said later, and counts.
        state.kept.decide(batch)
        try append(.kept(batch))
    }
}

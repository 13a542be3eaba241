/// Last good values: values that an edit has replaced, for the case that the replacements can't be used.
extension FileSession {
    /// Preserves the values that the store has declared to be in force, beside the stored ones. `nil`: nothing need be
    /// preserved.
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
        // Others may have changed the last good values meanwhile. This decision is later, and counts.
        state.kept.decide(batch)
        try append(.kept(batch))
    }
}

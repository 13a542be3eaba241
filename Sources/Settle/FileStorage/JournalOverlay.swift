/// What the journal has beyond the readable file: the newest value of each key, and what the file has there.
struct JournalOverlay: Sendable {
    struct Entry: Sendable {
        /// What the file has, as far as the writer of the first record knew.
        var before: JournalEntry.Before
        var value: SettingValue?
    }

    private(set) var entries: [String: Entry] = [:]
    /// Replaces everything that the file has; `entries` come after it.
    private(set) var tree: SettingTree?

    var isEmpty: Bool { entries.isEmpty && tree == nil }

    mutating func add(_ batch: JournalBatch) {
        if let tree = batch.tree {
            self.tree = tree
            entries = [:]
        }
        for entry in batch.entries {
            entries[entry.key] = Entry(before: entries[entry.key]?.before ?? entry.before, value: entry.value)
        }
    }

    mutating func removeAll() {
        entries = [:]
        tree = nil
    }

    func contains(_ key: String) -> Bool {
        entries[key] != nil
    }

    /// All of it as one batch.
    var batch: JournalBatch {
        JournalBatch(
            revision: 0, writer: nil,
            entries: entries.sorted { $0.key < $1.key }.map {
                JournalEntry(key: $0.key, value: $0.value.value, before: $0.value.before)
            }, tree: tree)
    }

    /// Puts all of it over a tree.
    func apply(to tree: inout SettingTree) {
        if let replacement = self.tree { tree = replacement }
        tree.apply(entries.mapValues(\.value))
    }

    /// What the file has, where that is known, from what it has together with the journal.
    func base(of current: SettingTree) -> SettingTree {
        guard !entries.isEmpty else { return current }
        var base = current
        var values: [String: SettingValue?] = [:]
        for (key, entry) in entries {
            switch entry.before {
            case .unknown: break
            case .absent: values.updateValue(nil, forKey: key)
            case .value(let value): values.updateValue(value, forKey: key)
            }
        }
        base.apply(values)
        return base
    }
}

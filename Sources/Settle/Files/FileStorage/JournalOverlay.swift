/// What the journal has beyond the readable file: the newest value of each key, and what the file has there.
struct JournalOverlay: Sendable {
    struct Entry: Sendable {
        /// What the file has, as far as the writer of the first record knew.
        var before: JournalEntry.Before
        var value: SettingValue?
    }

    private(set) var entries: [SettingKey: Entry] = [:]
    /// Replaces everything that the file has; `entries` come after it.
    private(set) var tree: SettingTree?
    /// The keys of all dictionaries that have one of the entries in them.
    private var outerKeys: Set<SettingKey> = []

    init(_ batches: [JournalBatch] = []) {
        for batch in batches { add(batch) }
    }

    var isEmpty: Bool { entries.isEmpty && tree == nil }
    /// Whether it says that there are no values at all.
    var isEmptyTree: Bool { entries.isEmpty && tree?.root.isEmpty == true }

    mutating func add(_ batch: JournalBatch) {
        if let tree = batch.tree {
            self.tree = tree
            entries = [:]
            outerKeys = []
        }
        entries.reserveCapacity(entries.count + batch.entries.count)
        // Entries in a row often have one parent; then the dictionaries around them are looked at once.
        var rest = batch.entries[...]
        while let first = rest.first {
            let parents = first.key.parents
            outerKeys.formUnion(parents)
            let hasEntriesAround = parents.contains { entries[$0] != nil }
            let siblings = rest.siblings(by: \.key)
            for entry in siblings { add(entry, hasEntriesAround: hasEntriesAround) }
            rest = rest[siblings.endIndex...]
        }
    }

    private mutating func add(_ entry: JournalEntry, hasEntriesAround: Bool) {
        let key = entry.key
        let known = entries[key]?.before ?? (hasEntriesAround ? fileValue(at: key) : nil)
        entries[key] = Entry(before: known ?? entry.before, value: entry.value)
        guard outerKeys.contains(key) else { return }
        for inner in entries.keys where key.contains(inner) {
            var tree = SettingTree()
            tree[key] = entry.value
            entries[inner]?.value = tree[inner]
        }
    }

    /// What the file has at a key, as the entry of the outermost dictionary around it tells. What stood there before a
    /// later entry is not what the file has.
    private func fileValue(at key: SettingKey) -> JournalEntry.Before? {
        for (outer, inner) in Self.splits(of: key).reversed() {
            if let entry = entries[outer] { return Self.value(of: inner, in: entry.before) }
        }
        return nil
    }

    /// Adds what a record has, if it has values.
    mutating func add(_ content: JournalRecord.Content) {
        switch content {
        case .values(let batch): add(batch)
        case .edited(_, let batch): add(edited: batch)
        case .checkpoint, .checkpointed, .kept, .history, .past: break
        }
    }

    /// Without some keys.
    ///
    /// - Parameter current: If there is a tree, only what differs from this one is left.
    func without(_ keys: Set<SettingKey>, whereTreeDiffersFrom current: SettingTree) -> JournalOverlay {
        var rest = self
        if let tree = batch.tree {
            rest = JournalOverlay([TreeDifference(from: current, to: tree).batch])
        }
        for key in keys { rest.entries[key] = nil }
        return rest
    }

    /// The entries whose keys have in the file what they had there before.
    func unedited(in file: SettingTree) -> JournalOverlay {
        var rest = self
        for (key, entry) in entries where entry.before != (file[key].map { .value($0) } ?? .absent) {
            rest.entries[key] = nil
        }
        return rest
    }

    /// What the file does not have. Of a tree, what the file's has not.
    ///
    /// - Parameter file: `nil` if that is not known.
    func beyond(_ file: SettingTree?) -> JournalOverlay {
        var rest = self
        if let batch = tree.map({ _ in batch }), let all = batch.tree {
            rest = JournalOverlay([TreeDifference(from: file ?? all, to: all).batch])
        }
        for (key, entry) in rest.entries where entry.before == (entry.value.map { .value($0) } ?? .absent) {
            rest.entries[key] = nil
        }
        return rest
    }

    /// The ways to part a dotted key into that of a dictionary and one inside of it, the innermost dictionary first.
    private static func splits(of key: SettingKey) -> [(outer: SettingKey, inner: SettingKey)] {
        key.parents.reversed().compactMap { outer in outer.rest(of: key).map { (outer, $0) } }
    }

    private static func value(of key: SettingKey, in outer: JournalEntry.Before) -> JournalEntry.Before {
        switch outer {
        case .unknown: return .unknown
        case .value(.dictionary(let entries)): return SettingTree(entries)[key].map { .value($0) } ?? .absent
        case .value, .absent: return .absent
        }
    }

    /// Adds what was edited in the file itself: it has these values already.
    mutating func add(edited batch: JournalBatch) {
        add(batch)
        for entry in batch.entries { entries[entry.key]?.before = entry.value.map { .value($0) } ?? .absent }
    }

    /// The file has just been read. What records tell of it may be of a version before: the confirmation of a checkpoint may be
    /// lost while its file is there.
    mutating func learn(_ file: SettingTree) {
        for key in entries.keys { entries[key]?.before = file[key].map { .value($0) } ?? .absent }
    }

    mutating func removeAll() {
        entries = [:]
        outerKeys = []
        tree = nil
    }

    func contains(_ key: SettingKey) -> Bool {
        entries[key] != nil
    }

    /// What the newest entry has at a key; `nil` if none tells.
    func newest(at key: SettingKey) -> JournalEntry.Before? {
        if let entry = entries[key] { return entry.value.map { .value($0) } ?? .absent }
        for (outer, inner) in Self.splits(of: key) {
            guard let entry = entries[outer] else { continue }
            return Self.value(of: inner, in: entry.value.map { .value($0) } ?? .absent)
        }
        return tree.map { $0[key].map { .value($0) } ?? .absent }
    }

    /// Whether there are entries within a dictionary. If the file has nothing in it, it is not known whether it has the
    /// dictionary.
    func hasEntries(within key: SettingKey) -> Bool {
        outerKeys.contains(key)
    }

    /// All of it as one batch.
    var batch: JournalBatch {
        if var tree {
            apply(to: &tree)
            return JournalBatch(revision: 0, author: nil, entries: [], tree: tree)
        }
        return JournalBatch(
            revision: 0, author: nil,
            entries: entries.sorted(by: \.key).map {
                JournalEntry(key: $0.key, value: $0.value.value, before: $0.value.before)
            }, tree: nil)
    }

    /// Puts all of it over a tree.
    func apply(to tree: inout SettingTree) {
        if let replacement = self.tree { tree = replacement }
        tree.apply(entries.mapValues(\.value))
    }

    /// What the file has, where that is known, from what it has together with the journal. Not known if there is a
    /// tree.
    func base(of current: SettingTree) -> SettingTree {
        guard !entries.isEmpty else { return current }
        var base = current
        for (key, entry) in entries.sorted(by: \.key) {
            switch entry.before {
            case .unknown: break
            // To remove what is not there would take an empty dictionary away.
            case .absent: if base[key] != nil { base[key] = nil }
            case .value(let value): base[key] = value
            }
        }
        return base
    }
}

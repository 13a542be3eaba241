/// Where the readable file, in one of its versions, has other values than are in force, and which.
///
/// Pure: it is told of each change before it is made. Applied to the values in force it gives those of the file.
package struct MirrorDifference: Sendable, Equatable {
    /// At each place that has been changed, what the file has. No place is within another one.
    package private(set) var values: [SettingKey: SettingValue?] = [:]
    /// The keys of all dictionaries that have one of the places in them.
    private var outerKeys: Set<SettingKey> = []

    package init() {}

    package init(_ entries: some Sequence<JournalEntry>) {
        for entry in entries { set(entry.value, at: entry.key) }
    }

    /// That of a file that has nothing.
    package init(ofNoneFrom tree: SettingTree) {
        self.init(tree.root.keys.map { JournalEntry(key: SettingKey(name: $0), value: nil) })
    }

    package var isEmpty: Bool { values.isEmpty }

    package var entries: [JournalEntry] { values.sorted(by: \.key).map { JournalEntry(key: $0.key, value: $0.value) } }

    private mutating func set(_ value: SettingValue?, at key: SettingKey) {
        guard values.updateValue(value, forKey: key) == nil else { return }
        outerKeys.formUnion(key.parents)
    }

    /// The value at a key is about to change.
    ///
    /// - Parameter tree: The values in force until then.
    package mutating func willChange(_ key: SettingKey, in tree: SettingTree) {
        if values[key] != nil { return }
        var place = key
        // A value that gives way to a dictionary is one place with all of that, as is a dictionary that was empty.
        for parent in key.parents {
            if values[parent] != nil { return }
            if place == key, let value = tree[parent], !value.isDictionaryWithEntries { place = parent }
        }
        var known = SettingTree()
        known[place] = tree[place]
        if outerKeys.contains(place) {
            for (inner, value) in values where place.contains(inner) {
                known[inner] = value
                values.removeValue(forKey: inner)
            }
        }
        set(known[place], at: place)
    }

    /// Notes what a file has at a key, unless more is known of that place.
    mutating func note(_ value: SettingValue?, at key: SettingKey) {
        guard !outerKeys.contains(key), !key.parents.contains(where: { values[$0] != nil }), values[key] == nil else {
            return
        }
        set(value, at: key)
    }

    /// Whether the file has nothing at a key.
    ///
    /// - Parameter tree: The values in force.
    func isAbsent(_ key: SettingKey, in tree: SettingTree) -> Bool {
        if let value = values[key] { return value == nil }
        guard outerKeys.contains(key) else { return false }
        var part = SettingTree()
        part[key] = tree[key]
        for (inner, value) in values where key.contains(inner) { part[inner] = value }
        return part[key] == nil
    }

    /// The file's values.
    ///
    /// - Parameter tree: Those in force.
    package func mirror(of tree: SettingTree) -> SettingTree {
        var mirror = tree
        mirror.apply(values)
        return mirror
    }
}

extension SettingValue {
    fileprivate var isDictionaryWithEntries: Bool {
        if case .dictionary(let entries) = self { !entries.isEmpty } else { false }
    }
}

/// The keys where the readable file, in one of its versions, differs from the values in force, with the file's values.
///
/// Pure: it is notified of each change before it is made. Applied to the values in force it results in those of the
/// file.
package struct MirrorDifference: Sendable, Equatable {
    /// The file's value at each key that has been changed. None of the keys is within another one.
    package private(set) var values: [SettingKey: SettingValue?] = [:]
    /// The keys of all dictionaries around these keys.
    private var outerKeys: Set<SettingKey> = []

    package init() {}

    package init(_ entries: some Sequence<JournalEntry>) {
        for entry in entries { set(entry.value, at: entry.key) }
    }

    /// Creates the difference of a file without any values.
    package init(ofNoneFrom tree: SettingTree) {
        self.init(tree.root.keys.map { JournalEntry(key: SettingKey(name: $0), value: nil) })
    }

    package var isEmpty: Bool { values.isEmpty }

    package var entries: [JournalEntry] { values.sorted(by: \.key).map { JournalEntry(key: $0.key, value: $0.value) } }

    private mutating func set(_ value: SettingValue?, at key: SettingKey) {
        guard values.updateValue(value, forKey: key) == nil else { return }
        outerKeys.formUnion(key.parents)
    }

    /// Records that the value at a key is about to change.
    ///
    /// - Parameter tree: The values in force until then.
    package mutating func willChange(_ key: SettingKey, in tree: SettingTree) {
        if values[key] != nil { return }
        var place = key
        // A value that a dictionary replaces is one entry together with that dictionary, and so is a dictionary that
        // was empty.
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

    /// Records the file's value at a key, unless more is known there.
    mutating func note(_ value: SettingValue?, at key: SettingKey) {
        guard !outerKeys.contains(key), !key.parents.contains(where: { values[$0] != nil }), values[key] == nil else {
            return
        }
        set(value, at: key)
    }

    /// Returns whether the file has no value at a key.
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

    /// Returns the file's values.
    ///
    /// - Parameter tree: The values in force.
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

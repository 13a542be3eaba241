import Settle

/// The texts of one language by key, as in a `.strings` file, in the order of the file and with its comments.
///
/// ```swift
/// var (table, form, duplicates) = try StringTable.read(data)
/// table["ok"] = "D’accord"
/// let changed = try table.data()
/// ```
///
/// Keys are compared by their UTF-8 bytes, and so are tables.
public struct StringTable: Sendable {
    /// A key with its text.
    public struct Entry: Sendable {
        /// The key that a program requests.
        public let key: String
        /// The text for the key.
        public var value: String
        /// The comments before the key, each without its slashes and outer space, and with line feeds only. The first
        /// entry of a file also has the comments at the head of the file.
        public var comments: [String] { didSet { comments = comments.map(StringTable.tidied) } }

        /// Creates an entry.
        public init(key: String, value: String, comments: [String] = []) {
            self.key = key
            self.value = value
            self.comments = comments.map(StringTable.tidied)
        }

        /// All comments as one string, separated by line feeds; `nil` if there are none.
        public var comment: String? { comments.isEmpty ? nil : comments.joined(separator: "\n") }
    }

    /// An entry that does not count, because another one with the same key comes after it.
    public struct Duplicate: Sendable, Hashable {
        /// The key that the file has more than once.
        public let key: String
        /// The line of the key that does not count, counted from 1.
        public let line: Int
    }

    /// The entries in order. Each key occurs once.
    public private(set) var entries: [Entry] = []
    /// The comments after the last entry, in the form of ``Entry/comments``.
    public var closingComments: [String] = [] { didSet { closingComments = closingComments.map(Self.tidied) } }
    private var places: [Name: Int] = [:]

    /// Creates an empty table.
    public init() {}

    /// Creates a table. Of two entries with the same key, the last one counts, and keeps its position.
    public init(_ entries: some Sequence<Entry>) {
        var all: [Entry?] = []
        for entry in entries {
            if let earlier = places.updateValue(all.count, forKey: Name(entry.key)) { all[earlier] = nil }
            all.append(entry)
        }
        self.entries = all.compactMap(\.self)
        // Only a duplicate moves the entries after it.
        if self.entries.count < all.count { findPlaces(from: 0) }
    }

    /// The text of a key. A new key is appended; setting `nil` removes the entry.
    public subscript(key: String) -> String? {
        get { entry(for: key)?.value }
        set {
            guard let newValue else { return remove(key) }
            guard let place = places[Name(key)] else { return update(Entry(key: key, value: newValue)) }
            entries[place].value = newValue
        }
    }

    /// Returns the entry of a key.
    public func entry(for key: String) -> Entry? { places[Name(key)].map { entries[$0] } }

    /// Replaces the entry with the same key at its index, or appends a new one.
    public mutating func update(_ entry: Entry) {
        if let place = places[Name(entry.key)] {
            entries[place] = entry
        } else {
            places[Name(entry.key)] = entries.count
            entries.append(entry)
        }
    }

    private mutating func remove(_ key: String) {
        guard let place = places.removeValue(forKey: Name(key)) else { return }
        entries.remove(at: place)
        findPlaces(from: place)
    }

    private mutating func findPlaces(from start: Int) {
        for place in entries[start...].indices { places[Name(entries[place].key)] = place }
    }
}

extension StringTable: Hashable {
    public static func == (left: StringTable, right: StringTable) -> Bool {
        left.entries == right.entries && left.closingComments.map(Name.init) == right.closingComments.map(Name.init)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(entries)
        hasher.combine(closingComments.map(Name.init))
    }
}

extension StringTable.Entry: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.names == right.names }

    public func hash(into hasher: inout Hasher) { hasher.combine(names) }

    private var names: [Name] { [Name(key), Name(value)] + comments.map(Name.init) }
}

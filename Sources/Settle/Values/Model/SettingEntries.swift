extension SettingValue {
    /// The entries of a dictionary, by name.
    ///
    /// Names are compared by their bytes in UTF-8, as in files. `String`, and so `[String: SettingValue]`, treats two
    /// names as one if Unicode calls them equivalent, such as both spellings of "é".
    public struct Entries: Sendable, Hashable {
        private var storage: [Name: SettingValue]

        /// Creates a dictionary without entries.
        public init() { storage = [:] }

        /// Creates a dictionary without entries, with room for a number of them.
        public init(minimumCapacity: Int) {
            storage = Dictionary(minimumCapacity: minimumCapacity)
        }

        /// Creates entries from a dictionary.
        public init(_ entries: [String: SettingValue]) {
            self.init(uniqueKeysWithValues: entries.lazy.map { ($0.key, $0.value) })
        }

        /// Creates entries with unique names. Ends the program if a name occurs twice.
        public init(uniqueKeysWithValues entries: some Sequence<(String, SettingValue)>) {
            storage = Dictionary(uniqueKeysWithValues: entries.lazy.map { (Name($0), $1) })
        }
    }
}

/// A string that is compared by its bytes.
package struct Name: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text.inOnePiece
    }

    /// Creates the name of a text whose bytes are contiguous already. Skipping the check saves each lookup
    /// a retain and a release.
    init(inOnePiece text: String) {
        self.text = text
    }

    package static func == (left: Name, right: Name) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension SettingValue.Entries {
    /// The value of a name; setting `nil` removes the entry.
    public subscript(name: String) -> SettingValue? {
        get { name.isContiguousUTF8 ? storage[Name(inOnePiece: name)] : storage[Name(name)] }
        set { storage[Name(name)] = newValue }
    }

    /// Sets the value of a name.
    ///
    /// - Returns: The previous value of the name.
    @discardableResult
    public mutating func updateValue(_ value: SettingValue, forKey name: String) -> SettingValue? {
        storage.updateValue(value, forKey: Name(name))
    }

    /// Removes the entry of a name.
    ///
    /// - Returns: The previous value of the name.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> SettingValue? {
        storage.removeValue(forKey: Name(name))
    }

    /// Sets a value, or removes the entry if it is `nil`.
    ///
    /// - Returns: The previous value of the name.
    @discardableResult
    @inline(never) mutating func set(_ value: SettingValue?, forKey name: String) -> SettingValue? {
        if let value { updateValue(value, forKey: name) } else { removeValue(forKey: name) }
    }

    /// Changes the dictionary of a name in place, and removes it if it is empty afterwards.
    ///
    /// - Parameters:
    ///   - creating: Whether to replace anything that is not a dictionary by an empty one first.
    ///   - change: Returns whether it has found its target.
    /// - Returns: False if there is no dictionary, else the result of the change.
    mutating func changeDictionary(
        named name: String, creating: Bool, _ change: (inout SettingValue.Entries) -> Bool
    ) -> Bool {
        let name = Name(name)
        if let place = storage.index(forKey: name), case .dictionary(var inner) = storage.values[place] {
            // Taken out before the change, so that it is not copied.
            storage.values[place] = .null
            let isFound = change(&inner)
            if inner.isEmpty { storage.remove(at: place) } else { storage.values[place] = .dictionary(inner) }
            return isFound
        }
        guard creating else { return false }
        var inner = SettingValue.Entries()
        let isFound = change(&inner)
        storage[name] = inner.isEmpty ? nil : .dictionary(inner)
        return isFound
    }

    /// Makes room for a number of entries in total.
    public mutating func reserveCapacity(_ count: Int) {
        storage.reserveCapacity(count)
    }

    /// The names, in the order of the entries.
    public var keys: some Collection<String> { storage.keys.lazy.map(\.text) }

    /// The values, in the order of the entries.
    public var values: some Collection<SettingValue> { storage.values }

    /// Merges these entries with others. If both have a name, the closure gets this value and the other one.
    public func merging(
        _ others: SettingValue.Entries, uniquingKeysWith combine: (SettingValue, SettingValue) throws -> SettingValue
    ) rethrows -> SettingValue.Entries {
        var merged = self
        try merged.storage.merge(others.storage, uniquingKeysWith: combine)
        return merged
    }
}

extension SettingValue.Entries: Collection {
    public struct Index: Sendable, Comparable {
        fileprivate var place: Dictionary<Name, SettingValue>.Index

        public static func < (left: Index, right: Index) -> Bool { left.place < right.place }
    }

    public var startIndex: Index { Index(place: storage.startIndex) }
    public var endIndex: Index { Index(place: storage.endIndex) }
    public func index(after index: Index) -> Index { Index(place: storage.index(after: index.place)) }
    public func formIndex(after index: inout Index) { storage.formIndex(after: &index.place) }
    public var count: Int { storage.count }
    public var isEmpty: Bool { storage.isEmpty }

    public subscript(index: Index) -> (key: String, value: SettingValue) {
        (storage.keys[index.place].text, storage.values[index.place])
    }

    /// Returns the name at an index, without a copy of the value.
    func name(at index: Index) -> String { storage.keys[index.place].text }

    /// The same entries, in the same order. Iterating over these is faster than by indices.
    var byName: [Name: SettingValue] { storage }
}

extension SettingValue.Entries: ExpressibleByDictionaryLiteral {
    /// Creates entries from a literal. Ends the program if a name occurs twice.
    @inline(never) public init(dictionaryLiteral elements: (String, SettingValue)...) {
        self.init(uniqueKeysWithValues: elements)
    }
}

extension SettingValue.Entries: CustomStringConvertible {
    public var description: String {
        isEmpty ? "[:]" : "[\(sortedByKey().map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", "))]"
    }
}

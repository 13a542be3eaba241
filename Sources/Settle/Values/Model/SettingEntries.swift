extension SettingValue {
    /// The entries of a dictionary, by name.
    ///
    /// Names are compared by their bytes in UTF-8, as in files. `String`, and so `[String: SettingValue]`, treats two
    /// names as one if Unicode calls them equivalent, such as both spellings of "é".
    ///
    /// The order of the entries is not specified, and does not count when they are compared. Files are written in the
    /// order of the names.
    public struct Entries: Sendable, Hashable {
        var table = EntryTable()

        /// Creates a dictionary without entries.
        public init() {}

        /// Creates a dictionary without entries, with room for a number of them.
        public init(minimumCapacity: Int) {
            table = EntryTable(minimumCapacity: minimumCapacity)
        }

        /// Creates entries from a dictionary.
        public init(_ entries: [String: SettingValue]) {
            self.init(uniqueKeysWithValues: entries.lazy.map { ($0.key, $0.value) })
        }

        /// Creates entries with unique names. Ends the program if a name occurs twice.
        public init(uniqueKeysWithValues entries: some Sequence<(String, SettingValue)>) {
            table.reserveCapacity(entries.underestimatedCount)
            for (name, value) in entries {
                let earlier = table.updateValue(value, of: Name(name))
                precondition(earlier == nil, "The name “\(name)” occurs twice.")
            }
        }
    }
}

/// A string that is compared by its bytes.
package struct Name: Sendable, Hashable {
    package let text: String

    package init(_ text: consuming String) {
        if !text.isContiguousUTF8 { text.makeContiguousUTF8() }
        self.text = text
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
        get { name.isContiguousUTF8 ? table[Name(inOnePiece: name)] : table[Name(name)] }
        set { table[Name(name)] = newValue }
    }

    /// Sets the value of a name.
    ///
    /// - Returns: The previous value of the name.
    @discardableResult
    public mutating func updateValue(_ value: SettingValue, forKey name: String) -> SettingValue? {
        table.updateValue(value, of: Name(name))
    }

    /// Removes the entry of a name.
    ///
    /// - Returns: The previous value of the name.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> SettingValue? {
        table.remove(Name(name))
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
        if let position = table.position(of: name), case .dictionary(var inner) = table.entries[position].value {
            // Taken out before the change, so that it is not copied.
            table.exchangeValue(at: position, for: .null)
            let isFound = change(&inner)
            if inner.isEmpty {
                table.remove(at: position)
            } else {
                table.exchangeValue(at: position, for: .dictionary(inner))
            }
            return isFound
        }
        guard creating else { return false }
        var inner = SettingValue.Entries()
        let isFound = change(&inner)
        table[name] = inner.isEmpty ? nil : .dictionary(inner)
        return isFound
    }

    /// Makes room for a number of entries in total.
    public mutating func reserveCapacity(_ count: Int) {
        table.reserveCapacity(count)
    }

    /// The names, in the order of the entries.
    public var keys: some Collection<String> { table.entries.lazy.map(\.name.text) }

    /// The values, in the order of the entries.
    public var values: some Collection<SettingValue> { table.entries.lazy.map(\.value) }

    /// Merges these entries with others. If both have a name, the closure gets this value and the other one.
    public func merging(
        _ others: SettingValue.Entries, uniquingKeysWith combine: (SettingValue, SettingValue) throws -> SettingValue
    ) rethrows -> SettingValue.Entries {
        var merged = self
        for (name, value) in others { merged[name] = try merged[name].map { try combine($0, value) } ?? value }
        return merged
    }
}

extension SettingValue.Entries: Collection {
    public struct Index: Sendable, Comparable {
        fileprivate var position: Int

        public static func < (left: Index, right: Index) -> Bool { left.position < right.position }
    }

    public var startIndex: Index { Index(position: 0) }
    public var endIndex: Index { Index(position: table.entries.count) }
    public func index(after index: Index) -> Index { Index(position: index.position + 1) }
    public func formIndex(after index: inout Index) { index.position += 1 }
    public var count: Int { table.entries.count }
    public var isEmpty: Bool { table.entries.isEmpty }

    public subscript(index: Index) -> (key: String, value: SettingValue) {
        let entry = table.entries[index.position]
        return (entry.name.text, entry.value)
    }
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

/// The path of a setting's value: the names of the dictionaries around it, from the outside in, and its own.
///
/// As text, the names are separated by dots, as in `passcode.attemptCount`. A dot in a name is escaped with a backslash
/// (`window\.width` is one name), and so is a backslash. A backslash before anything else stands for itself.
///
/// Keys are compared and hashed by their bytes in UTF-8. Two keys that are equal for `String` only because Unicode has
/// several spellings for one character are different keys.
public struct SettingKey: Sendable {
    /// The single spelling of the key. Its bytes are contiguous.
    @usableFromInline let text: String

    private init(spelled text: String) {
        self.text = text.inOnePiece
    }

    /// Any text that a file or a journal may contain, including one with empty names.
    @usableFromInline
    package init(stored text: String) {
        self.init(spelled: Self.isPlain(text) || !Self.hasEscape(text) ? text : Self.normalized(text))
    }

    /// A text without dots and backslashes, which is one name.
    init(plain text: String) {
        self.init(spelled: text)
    }

    /// A key of one name, which may have dots.
    package init(name: String) {
        self.init(spelled: Self.escaped(name))
    }

    /// The key of these names, from the outside in; `nil` if there are none, or one is empty.
    // Inlined: where the caller has an array, nothing generic is left.
    @inlinable
    public init?(components: some Sequence<String>) {
        self.init(nonEmpty: Array(components))
    }

    @usableFromInline
    init?(nonEmpty names: [String]) {
        guard !names.isEmpty, !names.contains(where: \.isEmpty) else { return nil }
        if names.count == 1 { self.init(name: names[0]) } else { self.init(names: names) }
    }

    /// The key of these names, some of which may be empty.
    init(names: [String]) {
        self.init(spelled: names.map(Self.escaped).joined(separator: "."))
    }

    /// Whether one of the names is empty. A file may have such a key, a setting may not.
    package var hasEmptyName: Bool {
        var previous = Self.dot
        var isEscaped = false
        for byte in text.utf8 {
            if byte == Self.dot, previous == Self.dot, !isEscaped { return true }
            (previous, isEscaped) = isEscaped ? (0, false) : (byte, byte == Self.backslash)
        }
        return previous == Self.dot
    }
}

extension SettingKey: LosslessStringConvertible {
    /// Reads a key from text; `nil` if the text or one of the names in it is empty.
    public init?(_ description: String) {
        self.init(stored: description)
        if hasEmptyName { return nil }
    }

    public var description: String { text }
}

extension SettingKey: ExpressibleByStringLiteral {
    /// Ends the program if a name in the literal is empty.
    public init(stringLiteral text: String) {
        self.init(stored: text)
        precondition(
            !hasEmptyName, "“\(text)” can't be a key: it and each of its parts between dots must not be empty.")
    }
}

// MARK: Comparing

extension SettingKey: Hashable {
    @inlinable
    public static func == (left: SettingKey, right: SettingKey) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }
}

extension SettingKey: Comparable {
    /// Orders by bytes. A key comes before the keys within it.
    public static func < (left: SettingKey, right: SettingKey) -> Bool {
        left.text.precedesByBytes(right.text)
    }
}

extension Collection {
    /// The first element, with the elements directly after it whose keys are siblings of its key.
    func siblings(by key: (Element) -> SettingKey) -> SubSequence {
        guard let first else { return self[...] }
        let end = dropFirst().firstIndex { !key($0).isSibling(of: key(first)) }
        return self[..<(end ?? endIndex)]
    }
}

// MARK: Names

extension SettingKey {
    fileprivate static var dot: UInt8 { UInt8(ascii: ".") }
    fileprivate static var backslash: UInt8 { UInt8(ascii: "\\") }

    /// The names, from the outside in, without the escaping backslashes.
    public var components: [String] {
        var names: [String] = []
        var rest = text[...]
        while let end = Self.firstDot(in: rest) {
            names.append(Self.unescaped(rest[..<end]))
            rest = rest[text.utf8.index(after: end)...]
        }
        names.append(Self.unescaped(rest))
        return names
    }

    /// How many names the key has.
    public var depth: Int { dots.count + 1 }

    /// The last of the names.
    public var name: String {
        Self.unescaped(dots.last.map { text[text.utf8.index(after: $0)...] } ?? text[...])
    }

    /// The key of the dictionary that contains the value; `nil` at the top level.
    public var parent: SettingKey? {
        dots.last.map { SettingKey(spelled: String(text[..<$0])) }
    }

    /// The keys of all dictionaries around the value, from the outside in. Of a key with more than 128 names, only the
    /// outermost: no value is nested deeper.
    public var parents: [SettingKey] {
        // A key may come from elsewhere. With all of a long one, they would take memory by the square of its length.
        dots.prefix(SettingValue.depthLimit).map { SettingKey(spelled: String(text[..<$0])) }
    }

    /// Whether both lie directly in the same dictionary. A quick check that returns false if a key has a backslash.
    func isSibling(of other: SettingKey) -> Bool {
        let found = text.utf8.withContiguousStorageIfAvailable { bytes in
            other.text.utf8.withContiguousStorageIfAvailable { others in
                Self.areSiblings(UnsafeRawBufferPointer(bytes), UnsafeRawBufferPointer(others))
            }
        }
        return (found ?? nil) ?? false
    }

    private static func areSiblings(_ bytes: UnsafeRawBufferPointer, _ others: UnsafeRawBufferPointer) -> Bool {
        let (dotPlace, otherPlace) = (bytes.lastIndex(of: dot), others.lastIndex(of: dot))
        guard dotPlace == otherPlace, !bytes.contains(backslash), !others.contains(backslash) else { return false }
        guard let dotPlace else { return true }
        return UnsafeRawBufferPointer(rebasing: bytes[..<dotPlace])
            .isEqual(to: UnsafeRawBufferPointer(rebasing: others[..<dotPlace]))
    }

    /// Whether another key lies within this one. A key does not lie within itself.
    public func contains(_ other: SettingKey) -> Bool {
        let count = text.utf8.count
        return other.text.utf8.count > count && other.text.utf8.starts(with: text.utf8)
            && other.text.utf8[other.text.utf8.index(other.text.startIndex, offsetBy: count)] == Self.dot
    }

    /// Whether this key lies within another one. A key does not lie within itself.
    public func isWithin(_ other: SettingKey) -> Bool {
        other.contains(self)
    }

    /// The key of a name in the dictionary at this key. The name may have dots.
    public func appending(component name: String) -> SettingKey {
        SettingKey(spelled: text + "." + Self.escaped(name))
    }

    /// The full key of one that is relative to the dictionary at this key.
    public func appending(_ inner: SettingKey) -> SettingKey {
        SettingKey(spelled: text + "." + inner.text)
    }

    /// The rest of a key within this one, relative to the dictionary at this key.
    func rest(of inner: SettingKey) -> SettingKey? {
        guard contains(inner) else { return nil }
        let bytes = inner.text.utf8
        return SettingKey(spelled: String(inner.text[bytes.index(bytes.startIndex, offsetBy: text.utf8.count + 1)...]))
    }

    /// The outermost name, and the key of the value relative to that dictionary; `nil` if there is only one name.
    var split: (first: String, rest: SettingKey)? {
        guard let end = Self.firstDot(in: text[...]) else { return nil }
        return (Self.unescaped(text[..<end]), SettingKey(spelled: String(text[text.utf8.index(after: end)...])))
    }

    /// The same names separated by dots without backslashes. Other keys may share this text: those in which some of
    /// these dots are parts of names. `nil` if the key is spelled this way itself.
    var joinedNames: SettingKey? {
        Self.hasEscape(text) ? SettingKey(plain: components.joined(separator: ".")) : nil
    }

    /// The keys in which the last names, or all, form one name with dots. The key with the longest such name comes
    /// first.
    package var literals: [SettingKey] {
        guard !isPlain else { return [] }
        let names = components
        guard names.count <= SettingValue.depthLimit else { return [] }
        return (0..<(names.count - 1)).map { count in
            let name = names[count...].joined(separator: ".")
            return SettingKey(components: names[..<count])?.appending(component: name) ?? SettingKey(name: name)
        }
    }

    /// The key in which every dot separates names: the path for which a name with dots may stand.
    package var asPath: SettingKey {
        guard Self.hasEscape(text) else { return self }
        return SettingKey(
            names: components.flatMap { name in
                // By bytes, as keys are compared: a mark that combines with the dot makes no other character of it.
                name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                    .map { String(Substring($0)) }
            })
    }

    /// The dots between names.
    private var dots: [String.Index] {
        guard !isPlain else { return [] }
        var dots: [String.Index] = []
        var rest = text[...]
        while let dot = Self.firstDot(in: rest) {
            dots.append(dot)
            rest = rest[text.utf8.index(after: dot)...]
        }
        return dots
    }

    private static func firstDot(in text: Substring) -> String.Index? {
        guard let first = text.utf8.firstIndex(of: dot) else { return nil }
        // The fast path: nearly always the first dot is not escaped.
        if first == text.startIndex || text.utf8[text.utf8.index(before: first)] != backslash { return first }
        var index = text.utf8.startIndex
        while index != text.utf8.endIndex {
            let byte = text.utf8[index]
            if byte == dot { return index }
            index = text.utf8.index(after: index)
            // The text is normalized, so another byte follows the backslash.
            if byte == backslash { index = text.utf8.index(after: index) }
        }
        return nil
    }

    /// Whether the text is one name, without dots and backslashes.
    var isPlain: Bool { Self.isPlain(text) }

    /// Checks eight bytes at a time, because every lookup by key calls it.
    static func isPlain(_ text: String) -> Bool {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            Self.isPlain(UnsafeRawBufferPointer(bytes))
        }
        return isPlain ?? (!text.utf8.contains(dot) && !text.utf8.contains(backslash))
    }

    @inline(__always)
    private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 8 else { return !bytes.contains(dot) && !bytes.contains(backslash) }
        // The last eight bytes, some of which are checked twice.
        var found = special(in: bytes.word(at: bytes.count - 8))
        for offset in stride(from: 0, to: bytes.count - 8, by: 8) { found |= special(in: bytes.word(at: offset)) }
        return found == 0
    }

    /// Not zero if a byte of the word is a dot or a backslash.
    private static func special(in word: UInt64) -> UInt64 {
        zeroBytes(in: word ^ 0x2E2E_2E2E_2E2E_2E2E) | zeroBytes(in: word ^ 0x5C5C_5C5C_5C5C_5C5C)
    }

    private static func zeroBytes(in word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }
}

// MARK: Backslashes

extension SettingKey {
    private static func hasEscape(_ text: some StringProtocol) -> Bool {
        text.utf8.contains(backslash)
    }

    /// A name as written in a key.
    static func escaped(_ name: String) -> String {
        if isPlain(name) { return name }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count + 4)
        for byte in name.utf8 {
            if byte == dot || byte == backslash { bytes.append(backslash) }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ name: Substring) -> String {
        guard hasEscape(name) else { return String(name) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        var isEscaped = false
        for byte in name.utf8 {
            isEscaped = byte == backslash && !isEscaped
            if !isEscaped { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The single spelling of a text in which a backslash may precede anything.
    private static func normalized(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 4)
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                // Before any other byte, the backslash belongs to the name.
                if byte != dot, byte != backslash { bytes.append(backslash) }
                bytes.append(byte)
                isEscaped = false
            } else {
                bytes.append(byte)
                isEscaped = byte == backslash
            }
        }
        if isEscaped { bytes.append(backslash) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

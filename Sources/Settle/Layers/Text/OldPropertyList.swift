#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads property lists in the form from before XML, such as `{ports = (80, 443); name = "a b";}`: those that Apple's
/// programs accept in their arguments, and whole files.
///
/// Numbers, dates and the like are strings here, unless a file has GNUstep's types, such as `<*I5>`. If two entries
/// have the same key, the last one counts, as in Apple's reader, unless the reader of a file asks for the first.
/// Positions in the errors are byte offsets.
package struct OldPropertyList {
    /// Reads a value that only a file may have after `<`; `nil` if it is data.
    package typealias TypeReader =
        @Sendable (
            _ reader: inout OldPropertyList, _ start: Int
        ) throws(FormatError) -> SettingValue?

    package let bytes: [UInt8]
    /// `nil` for an argument, which is read as Apple's programs do, mistakes included. In a file, a comment must have
    /// an end, and words of all scripts need no quotation marks.
    private let readTyped: TypeReader?
    private let duplicateKeys: DuplicateKeyRule
    /// The offset of the next character.
    package var position = 0
    /// The comments that have been skipped in a file.
    package var comments: [Comment] = []

    /// A comment of a file.
    package struct Comment: Sendable {
        /// From the first slash to the end: the last slash, or before the end of the line.
        package let range: Range<Int>
        /// Whether it begins with two slashes, and ends with its line.
        package let isLine: Bool
    }

    /// - Parameter readTyped: Only for a file.
    package init(_ bytes: [UInt8], duplicateKeys: DuplicateKeyRule = .refused, readTyped: TypeReader? = nil) {
        self.bytes = bytes
        self.duplicateKeys = duplicateKeys
        self.readTyped = readTyped
    }

    var isFile: Bool { readTyped != nil }

    /// Returns the value of an argument: the text itself unless it begins like a property list and is one from start to
    /// end.
    package static func value(of text: String) -> SettingValue {
        var reader = OldPropertyList(Array(text.utf8))
        return (try? reader.readArgument()) ?? .string(text)
    }

    /// Reads an argument; `nil` if it is not a property list. Apple's programs treat an argument as a property list
    /// only if it begins with one of these characters, so that most texts stay as they are.
    private mutating func readArgument() throws(FormatError) -> SettingValue? {
        try skipSpace(withComments: false)
        guard let first = peek(), "{(<\"".utf8.contains(first) else { return nil }
        return try readRoot()
    }

    /// Reads a file of any value, or of strings. A file that has only space and comments is an empty dictionary.
    package mutating func readDocument() throws(FormatError) -> SettingValue {
        try skipSpace()
        return isAtEnd ? .dictionary([:]) : try readRoot()
    }

    private mutating func readRoot() throws(FormatError) -> SettingValue {
        let start = position
        let value = try readValue(depth: 0)
        try skipSpace()
        if isAtEnd { return value }
        guard case .string = value else { throw somethingAfterTheEnd() }
        // A file of strings: a dictionary without its braces.
        position = start
        let entries = try readEntries(depth: 1)
        guard isAtEnd else { throw failure("There is no opening brace for this one.") }
        return .dictionary(entries)
    }

    /// - Parameter depth: The number of dictionaries and arrays around the value.
    package mutating func readValue(depth: Int) throws(FormatError) -> SettingValue {
        try skipSpace()
        let start = position
        if skip("{") { return try readDictionary(depth: depth + 1, start) }
        if skip("(") { return try readArray(depth: depth + 1, start) }
        if skip("<") {
            if let value = try readTyped?(&self, start) { return value }
            return try readData(from: start)
        }
        guard let text = try readString() else {
            throw failure(isAtEnd ? "The text ends where a value is expected." : "A value is expected here.")
        }
        return .string(text)
    }

    private mutating func readArray(depth: Int, _ start: Int) throws(FormatError) -> SettingValue {
        try checkDepth(depth, start)
        var elements: [SettingValue] = []
        while try !skipToken(")") {
            elements.append(try readValue(depth: depth))
            // A comma may also follow the last one.
            if try skipToken(",") { continue }
            guard skip(")") else { throw missing("A comma or a closing parenthesis", after: "array", start) }
            break
        }
        return .array(elements)
    }

    private mutating func readDictionary(depth: Int, _ start: Int) throws(FormatError) -> SettingValue {
        try checkDepth(depth, start)
        let entries = try readEntries(depth: depth)
        guard skip("}") else { throw failure("The dictionary that starts here has no end.", at: start) }
        return .dictionary(entries)
    }

    /// Reads entries up to a closing brace or the end.
    private mutating func readEntries(depth: Int) throws(FormatError) -> SettingValue.Entries {
        var entries = SettingValue.Entries()
        while let entry = try readEntry(depth: depth) {
            // Where other forms refuse the second one, it counts, as in Apple's reader.
            _ = duplicateKeys.set(entry.value, forKey: entry.key, in: &entries)
        }
        return entries
    }

    /// One entry of a dictionary.
    package struct Entry {
        package let key: String
        package let value: SettingValue
        /// The offset at which the key begins.
        package let start: Int
    }

    /// Reads the next entry; `nil` before a closing brace or the end. An entry without a value has its key as the
    /// value.
    ///
    /// - Parameter depth: The number of dictionaries and arrays around the value.
    package mutating func readEntry(depth: Int) throws(FormatError) -> Entry? {
        try skipSpace()
        guard let next = peek(), next != UInt8(ascii: "}") else { return nil }
        let start = position
        guard let key = try readString() else { throw failure("A key is expected here.") }
        let keyEnd = position
        if try skipToken("=") {
            let value = try readValue(depth: depth)
            let valueEnd = position
            guard try skipToken(";") else { throw failure("A semicolon is missing after this value.", at: valueEnd) }
            return Entry(key: key, value: value, start: start)
        }
        guard skip(";") else {
            throw failure("An equals sign or a semicolon is missing after this key.", at: keyEnd)
        }
        return Entry(key: key, value: .string(key), start: start)
    }

    private func checkDepth(_ depth: Int, _ start: Int) throws(FormatError) {
        guard depth <= SettingValue.depthLimit else {
            throw failure(SettingValue.depthReason, rule: .limit, at: start)
        }
    }

    private func missing(_ what: String, after container: String, _ start: Int) -> FormatError {
        isAtEnd
            ? failure("The \(container) that starts here has no end.", at: start) : failure("\(what) is expected here.")
    }

    /// Returns the error for a text that continues after its end.
    package func somethingAfterTheEnd() -> FormatError {
        failure("There is something after the end of the property list.")
    }

    /// Returns an error at the current position, or at an offset.
    package func failure(
        _ reason: String, rule: FormatError.Rule = .syntax, at offset: Int? = nil
    ) -> FormatError {
        FormatError(rule, atByte: offset ?? position, reason)
    }
}

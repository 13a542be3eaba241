/// The meaning of strings, nulls and references in a property list.
package enum PropertyListDialect: Sendable, Hashable {
    /// A settings file of this library: some values are strings, see ``PropertyListText``, and there are no references.
    case settings
    /// A property list of another program: a string is itself, there is no null, and a reference of a keyed archive,
    /// which only the binary form has, is the dictionary that represents it in XML: `{CF$UID: 5}`.
    case literal

    /// The key of the dictionary that represents a reference.
    package static let referenceKey = "CF$UID"

    func value(of text: String) -> SettingValue {
        self == .settings ? PropertyListText.value(of: text) : .string(text)
    }

    func spelling(of text: String) -> String {
        self == .settings ? PropertyListText.spelling(of: text) : text
    }

    func spellingOfNull() throws(FormatError) -> String {
        guard self == .settings else {
            throw FormatError(.unsupportedValue, at: .key(""), "A property list cannot store null.")
        }
        return PropertyListText.null
    }

    /// Returns the number of the reference that a dictionary represents.
    func reference(_ entries: SettingValue.Entries) -> UInt32? {
        guard self == .literal, entries.count == 1, case .integer(let number)? = entries[Self.referenceKey] else {
            return nil
        }
        return UInt32(exactly: number)
    }
}

/// The property lists of other programs, with any value at their root.
package enum PropertyListDocument {
    /// The names of the elements for values in XML.
    package static let elements: Set<String> = [
        "dict", "array", "string", "integer", "real", "true", "false", "date", "data",
    ]

    /// Returns whether a file begins like the binary form.
    package static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: BinaryPropertyListFormat.magic) }

    /// Reads the XML or the binary form.
    package static func read(
        _ bytes: [UInt8], duplicateKeys: DuplicateKeyRule = .refused
    ) throws(FormatError) -> SettingValue {
        try FormatLimits.checkSize(of: bytes)
        guard isBinary(bytes) else { return try readXML(bytes, duplicateKeys: duplicateKeys) }
        var reader = try BinaryPropertyListReader(bytes, dialect: .literal, duplicateKeys: duplicateKeys)
        return try reader.readDocument()
    }

    /// Reads the XML form, also if the value is not in a `plist` element.
    ///
    /// - Parameter isConverted: Whether the text has been converted to UTF-8, whatever encoding it declares.
    package static func readXML(
        _ bytes: [UInt8], isConverted: Bool = false, duplicateKeys: DuplicateKeyRule = .refused
    ) throws(FormatError) -> SettingValue {
        do throws(FormatError) {
            try FormatLimits.checkSize(of: bytes)
            var reader = XMLPropertyListReader(
                bytes, dialect: .literal, isConverted: isConverted, duplicateKeys: duplicateKeys)
            return try reader.readDocument()
        } catch {
            throw error.located(inText: bytes)
        }
    }

    /// Writes the binary form.
    package static func binary(_ value: SettingValue) throws(FormatError) -> [UInt8] {
        var writer = BinaryPropertyListWriter(dialect: .literal)
        _ = try writer.add(value, depth: 1)
        return writer.finish()
    }

    /// Writes the XML form.
    package static func xml(_ value: SettingValue) throws(FormatError) -> [UInt8] {
        var writer = XMLPropertyListWriter(dialect: .literal)
        try writer.write(value)
        return writer.finish()
    }
}

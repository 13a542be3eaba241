/// The format of a settings file.
public struct FileFormat: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Hashable {
        case json = "JSON"
        case strictJSON = "strict JSON"
        case propertyListXML = "XML property list"
        case propertyListBinary = "binary property list"
    }

    private let kind: Kind

    /// JSON (RFC 8259), with common additions: comments, `// …` and `/* … */`, and a comma after the last entry.
    ///
    /// A new file has sorted keys and is indented by two spaces. Dates are written as ISO 8601 strings, and data as
    /// base64 strings. Numbers that neither an integer nor a `Double` holds exactly keep their spelling.
    public static let json = FileFormat(kind: .json)

    /// JSON without comments and trailing commas, for a file that other programs read too: an edit that has any is
    /// refused. Otherwise like ``json``.
    public static let strictJSON = FileFormat(kind: .strictJSON)

    /// The XML property list that Apple's tools read and write.
    ///
    /// `null` is written as the string `$null`, as Foundation does, and that string itself as `$$null`. A date that
    /// `<date>` can't hold, such as one with a fraction of a second, is written as a string after `$date `, such as
    /// `$date 2001-12-31T23:59:59.25Z`, and is read as the same date.
    public static let propertyListXML = FileFormat(kind: .propertyListXML)

    /// The binary property list that Apple's tools read and write.
    ///
    /// `null` is written as the string `$null`, as Foundation does, and that string itself as `$$null`.
    public static let propertyListBinary = FileFormat(kind: .propertyListBinary)

    public var description: String { kind.rawValue }
}

extension FileFormat {
    /// The file name extensions that imply a format.
    static let knownExtensions = [".json", ".plist"]

    /// The format for a new file's name; `nil` if the extension is unknown. A name without an extension implies JSON.
    init?(fileName: String) {
        let name = fileName.utf8.drop { $0 == UInt8(ascii: ".") }
        switch name.lastIndex(of: UInt8(ascii: ".")).map({ fileName[$0...].lowercased() }) {
        case nil, ".", ".json": self = .json
        case ".plist": self = .propertyListXML
        default: return nil
        }
    }

    /// Returns the format that the first bytes of a file show; `nil` for an empty file. All files but property lists
    /// count as JSON.
    package static func detect(_ bytes: [UInt8]) -> FileFormat? {
        guard !bytes.isEmpty else { return nil }
        guard !bytes.starts(with: BinaryPropertyListFormat.magic) else { return .propertyListBinary }
        let start = bytes.drop { byte in utf8ByteOrderMark.contains(byte) || byte.isTextSpace }
        return start.first == UInt8(ascii: "<") ? .propertyListXML : .json
    }

    /// Reads a file. An empty file is an error: a written file is never empty.
    package func decode(_ bytes: [UInt8]) throws(FormatError) -> SettingTree {
        try format.decode(bytes)
    }

    /// Writes values into a text that has others. The unchanged parts stay as they are spelled, with their comments,
    /// order and white space.
    ///
    /// - Parameters:
    ///   - text: A file that ``decode(_:)`` reads.
    ///   - old: The keys where the text may have other values, none of them within another one, with the text's values;
    ///     `nil` if they are not known.
    package func encode(
        _ tree: SettingTree, into text: [UInt8], changing old: [SettingKey: SettingValue?]? = nil
    ) throws(FormatError) -> [UInt8] {
        try format.encode(tree, into: text, changing: old)
    }

    /// Writes a file that ``decode(_:)`` reads.
    package func encode(_ tree: SettingTree) throws(FormatError) -> [UInt8] {
        try format.encode(tree)
    }

    private var format: any TreeFormat {
        switch kind {
        case .json: JSONFormat()
        case .strictJSON: JSONFormat(isStrict: true)
        case .propertyListXML: XMLPropertyListFormat()
        case .propertyListBinary: BinaryPropertyListFormat()
        }
    }
}

let utf8ByteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

extension UInt8 {
    /// The white space of JSON and XML.
    package var isTextSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

/// An encoding of a ``SettingTree`` as bytes.
///
/// `decode` reads what `encode` writes, with one exception: a format without dates or data writes them as text, which
/// stays text until a setting converts it. `encode` writes what `decode` reads with the same meaning.
package protocol TreeFormat: Sendable {
    /// - Throws: ``FormatError`` with the position in the file.
    func decode(_ bytes: [UInt8]) throws(FormatError) -> SettingTree

    /// Writes values into a text, see ``FileFormat``. A format that preserves nothing writes a new text.
    func encode(
        _ tree: SettingTree, into text: [UInt8], changing old: [SettingKey: SettingValue?]?
    ) throws(FormatError) -> [UInt8]

    /// - Throws: ``FormatError`` with the key of a value that the format can't represent. Values are never left out
    ///   silently.
    func encode(_ tree: SettingTree) throws(FormatError) -> [UInt8]
}

extension TreeFormat {
    package func encode(
        _ tree: SettingTree, into text: [UInt8], changing old: [SettingKey: SettingValue?]?
    ) throws(FormatError) -> [UInt8] {
        try encode(tree)
    }
}

/// Limits that readers enforce. Writers respect them too, so that they write nothing that can't be read.
package enum FormatLimits {
    static let bytes = 1 << 28

    package static func checkSize(of bytes: [UInt8]) throws(FormatError) {
        guard bytes.count <= Self.bytes else {
            throw FormatError(.limit, atByte: Self.bytes, "The file is larger than \(Self.bytes >> 20) MiB.")
        }
    }
}

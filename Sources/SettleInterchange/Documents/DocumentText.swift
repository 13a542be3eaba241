import Settle

/// The kind of a document, according to its first bytes.
enum Document {
    case binary([UInt8])
    case xml(DocumentText)
    case text(DocumentText)

    init(_ bytes: [UInt8]) throws(FormatError) {
        try FormatLimits.checkSize(of: bytes)
        guard !PropertyListDocument.isBinary(bytes) else {
            self = .binary(bytes)
            return
        }
        let text = try DocumentText(bytes)
        self = text.isXML ? .xml(text) : .text(text)
    }
}

/// The text of a document, in UTF-8 and without a byte order mark.
struct DocumentText {
    let bytes: [UInt8]
    /// Whether the document was in UTF-16, whatever it declares.
    let isConverted: Bool

    /// Reads UTF-8, or UTF-16 after a byte order mark.
    init(_ document: [UInt8]) throws(FormatError) {
        if document.starts(with: [0xFE, 0xFF]) {
            bytes = try Self.utf8(document.dropFirst(2), highByte: 0)
            isConverted = true
        } else if document.starts(with: [0xFF, 0xFE]) {
            bytes = try Self.utf8(document.dropFirst(2), highByte: 1)
            isConverted = true
        } else {
            bytes = document.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(document.dropFirst(3)) : document
            isConverted = false
            if String(validating: bytes, as: UTF8.self) == nil { throw Self.invalidUTF8(bytes) }
        }
    }

    /// Reads the text. Errors have the line and the column.
    func read<Value>(_ body: ([UInt8]) throws(FormatError) -> Value) throws(FormatError) -> Value {
        do throws(FormatError) {
            return try body(bytes)
        } catch {
            throw error.located(inText: bytes)
        }
    }

    /// Reads a property list in XML.
    func readXML(duplicateKeys: DuplicateKeyRule = .refused) throws(FormatError) -> SettingValue {
        try PropertyListDocument.readXML(bytes, isConverted: isConverted, duplicateKeys: duplicateKeys)
    }

    /// Whether the text begins like XML. Data in the old text form begins with `<` too, but then with hexadecimal
    /// digits, or with `*`, `[` or `>`.
    var isXML: Bool {
        let rest = bytes.drop(while: \.isSpace)
        guard rest.first == UInt8(ascii: "<"), let next = rest.dropFirst().first else { return false }
        if next == UInt8(ascii: "?") || next == UInt8(ascii: "!") { return true }
        return rest.dropFirst().prefix { Self.letters.contains($0 | 0x20) }.contains { $0 | 0x20 > UInt8(ascii: "f") }
    }

    /// The first character that is not white space, if there is one.
    var first: UInt8? { bytes.first { !$0.isSpace } }

    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")

    private static func utf8(_ content: ArraySlice<UInt8>, highByte: Int) throws(FormatError) -> [UInt8] {
        let units = (0..<content.count / 2).map { index in
            let place = content.startIndex + 2 * index
            return UInt16(content[place + highByte]) << 8 | UInt16(content[place + 1 - highByte])
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            let count = units.indices.first { !isWhole(units, at: $0) } ?? units.count
            throw failure(after: String(decoding: units[..<count], as: UTF16.self), "This is half of a character.")
        }
        guard content.count % 2 == 0 else { throw failure(after: text, "The file ends in the middle of a character.") }
        return Array(text.utf8)
    }

    /// Returns whether the unit is a character, or half of a pair whose other half is beside it.
    private static func isWhole(_ units: [UInt16], at index: Int) -> Bool {
        if UTF16.isLeadSurrogate(units[index]) {
            return index + 1 < units.count && UTF16.isTrailSurrogate(units[index + 1])
        }
        guard UTF16.isTrailSurrogate(units[index]) else { return true }
        return index > 0 && UTF16.isLeadSurrogate(units[index - 1])
    }

    private static func invalidUTF8(_ bytes: [UInt8]) -> FormatError {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var offset = 0
        while case .valid(let scalar) = parser.parseScalar(from: &rest) { offset += scalar.count }
        return failure(at: offset, in: bytes, "The text is not in UTF-8 from here on.")
    }

    private static func failure(after text: String, _ reason: String) -> FormatError {
        failure(at: text.utf8.count, in: Array(text.utf8), reason)
    }

    private static func failure(at offset: Int, in bytes: [UInt8], _ reason: String) -> FormatError {
        FormatError(.encoding, atByte: offset, reason).located(inText: bytes)
    }
}

extension UInt8 {
    /// Whether the old text form counts it as white space.
    var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A document in another format, with a list of everything that the format could not keep.
///
/// ```swift
/// let conversion = try DocumentConversion(of: data, to: .json)
/// for loss in conversion.losses { print(loss) }  // Key "born": A date has become a text.
/// try conversion.data.write(to: url)
/// ```
///
/// If ``losses`` is empty, reading ``data`` gives the equal value, with the same bits of numbers. If not, the two
/// values differ at most at the listed paths. Comments, layout and the order of keys are not part of a value.
///
/// Strings stay unchanged. Settings files of this library have a spelling of null in property lists, which is not used
/// here; to change the format of one, use `SettingsStore`.
public struct DocumentConversion: Sendable, Hashable {
    /// The format of a document.
    public enum Format: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// JSON (RFC 8259).
        case json
        /// A property list in one of its forms.
        case propertyList(PropertyList.Form)

        public static var allCases: [Format] { [.json] + PropertyList.Form.allCases.map(propertyList) }

        public var description: String {
            switch self {
            case .json: "JSON"
            case .propertyList(.xml): "XML property list"
            case .propertyList(.binary): "binary property list"
            case .propertyList(.oldText): "old-style property list"
            }
        }
    }

    /// The document in the new format: sorted by key, so that equal values give equal documents, and in UTF-8 if it is
    /// a text format.
    public let data: Data

    /// The losses, in the order of the document. Dictionaries are in the order of their keys.
    public let losses: [Loss]

    /// Converts a document.
    ///
    /// - Parameters:
    ///   - document: JSON or a property list. Text is in UTF-8, or in UTF-16 with a byte order mark.
    ///   - source: Its format; `nil` to detect it, see ``read(_:as:duplicateKeys:)``.
    ///   - target: The new format.
    /// - Throws: `FormatError` if the document can't be read, with the line and the column, or the byte.
    public init(
        of document: Data, from source: Format? = nil, to target: Format
    ) throws(FormatError) {
        try self.init(of: Self.read(document, as: source).value, to: target)
    }

    /// Writes a value as a document.
    ///
    /// A `SettingValue.number` that is an integer or a real is read back as that.
    ///
    /// - Throws: `FormatError` if the value has more than 128 levels of arrays and dictionaries.
    public init(of value: SettingValue, to target: Format) throws(FormatError) {
        var adaptation = Adaptation(to: target)
        let adapted = try adaptation.adapt(value)
        losses = adaptation.losses
        switch target {
        case .json: data = Data(try JSONDocument.write(adapted))
        case .propertyList(let form): data = try PropertyList.data(of: adapted, as: form)
        }
    }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - document: JSON or a property list.
    ///   - format: Its format; `nil` to detect it. A document that is both JSON and the old text form, such as `{}`,
    ///     counts as JSON; a word without quotation marks is then not a document.
    ///   - duplicateKeys: The value that counts if a dictionary has a key twice.
    /// - Throws: `FormatError` with the line and the column, or the byte. If the format is not known, the error is that
    ///   of the format that explains more of the document.
    public static func read(
        _ document: Data, as format: Format? = nil, duplicateKeys: PropertyList.DuplicateKeys = .refused
    ) throws(FormatError) -> (value: SettingValue, format: Format) {
        switch format {
        case .json?:
            let value = try DocumentText([UInt8](document)).read { (bytes) throws(FormatError) in
                try JSONDocument.read(bytes, duplicateKeys: duplicateKeys.rule)
            }
            return (value, .json)
        case .propertyList(let expected)?:
            let (list, form) = try PropertyList.read(document, duplicateKeys: duplicateKeys)
            guard form == expected else {
                let found = Format.propertyList(form)
                throw FormatError(.syntax, at: .key(""), "The document has another format: \(found).")
            }
            return (list.value, .propertyList(form))
        case nil:
            let document = try Document([UInt8](document))
            if case .text(let text) = document { return try readText(text, duplicateKeys.rule) }
            let (list, form) = try PropertyList.read(document, duplicateKeys)
            return (list.value, .propertyList(form))
        }
    }

    private static func readText(
        _ text: DocumentText, _ duplicateKeys: DuplicateKeyRule
    ) throws(FormatError) -> (value: SettingValue, format: Format) {
        let failure: FormatError
        do throws(FormatError) {
            return (try JSONDocument.read(text.bytes, duplicateKeys: duplicateKeys), .json)
        } catch {
            failure = error
        }
        // A word, which is a string in the old text form, is more likely a damaged file or one of another kind.
        guard let first = text.first, "{(<\"'/".utf8.contains(first) || isKey(text) else {
            throw failure.located(inText: text.bytes)
        }
        do throws(FormatError) {
            var reader = OldPropertyList(file: text.bytes, duplicateKeys: duplicateKeys)
            return (try reader.readDocument(), .propertyList(.oldText))
        } catch {
            let isLater = offset(of: error) > offset(of: failure)
            throw (isLater ? error : failure).located(inText: text.bytes)
        }
    }

    /// Returns whether the text is a file of strings that begins with a key without quotation marks.
    private static func isKey(_ text: DocumentText) -> Bool {
        var reader = OldPropertyList(file: text.bytes)
        return (try? reader.readEntry(depth: 1)) != nil
    }

    private static func offset(of error: FormatError) -> Int {
        if case .byte(let offset) = error.place { offset } else { 0 }
    }
}

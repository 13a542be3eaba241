public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A property list without interpretation: with any value at its root, and with every string as itself.
///
/// Settings files of this library spell null as the string `$null`, see `FileFormat.propertyListXML`. That is not done
/// here. A reference of a keyed archive is the dictionary that represents it in XML, `{CF$UID: 5}`.
///
/// ```swift
/// let (list, form) = try PropertyList.read(data)
/// let copy = try PropertyList(list.value).data(as: form)
/// ```
public struct PropertyList: Sendable, Hashable {
    /// The value at the root.
    public var value: SettingValue

    /// The forms of a file.
    public enum Form: Sendable, Hashable, CaseIterable {
        /// The XML form, version 1.0.
        case xml
        /// The binary form, version 00.
        case binary
        /// The text form before XML, of NeXTSTEP and OpenStep: `{ports = (80, 443); name = "a b";}`. It has strings,
        /// data, arrays and dictionaries only.
        case oldText
    }

    /// The value that counts if a dictionary in a file has a key twice.
    public struct DuplicateKeys: Sendable, Hashable {
        let rule: DuplicateKeyRule

        /// Neither: the file is refused. In the old text form, though, the last value counts, as in Apple's reader.
        public static let refused = DuplicateKeys(rule: .refused)
        /// The first value.
        public static let first = DuplicateKeys(rule: .first)
        /// The last value.
        public static let last = DuplicateKeys(rule: .last)
    }

    /// Creates a property list from a value.
    public init(_ value: SettingValue) { self.value = value }

    /// Reads a property list in any form.
    ///
    /// XML and the old text form may be in UTF-8, or in UTF-16 with a byte order mark. In the old text form,
    ///
    /// - the braces around the outermost dictionary may be missing, as in files of strings: `"a" = "b";`;
    /// - letters, digits and combining marks of all scripts need no quotation marks: `{Größe = 3;}`;
    /// - a key without an equals sign has itself as its value;
    /// - of two entries with the same key, the last one counts, as in Apple's reader, unless you ask for the first; in
    ///   the other forms that is an error, unless you ask for one of them;
    /// - a file with nothing but white space and comments is an empty dictionary;
    /// - GNUstep's types are read as their values: `<*I5>`, `<*R1.5>`, `<*BY>`, `<*D2001-12-31 23:59:59 +0000>` and
    ///   `<[AQID]>`.
    ///
    /// In XML, the `plist` element around the value may be missing, as in files of older tools: `<array>…</array>`.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - duplicateKeys: The value that counts if a dictionary has a key twice.
    /// - Throws: `FormatError` with the line and the column, or the byte of a binary file. An empty file, one of more
    ///   than 256 MiB, and one with more than 128 levels of arrays and dictionaries are errors. The error for a key
    ///   that occurs twice names it, and has the rule `duplicateKey`.
    public static func read(
        _ data: Data, duplicateKeys: DuplicateKeys = .refused
    ) throws(FormatError) -> (list: PropertyList, form: Form) {
        guard !data.isEmpty else { throw FormatError(.syntax, at: .text(line: 1, column: 1), "The file is empty.") }
        return try read(Document([UInt8](data)), duplicateKeys)
    }

    static func read(
        _ document: Document, _ duplicateKeys: DuplicateKeys
    ) throws(FormatError) -> (list: PropertyList, form: Form) {
        let rule = duplicateKeys.rule
        switch document {
        case .binary(let bytes):
            return (PropertyList(try PropertyListDocument.read(bytes, duplicateKeys: rule)), .binary)
        case .xml(let text): return (PropertyList(try text.readXML(duplicateKeys: rule)), .xml)
        case .text(let text):
            let value = try text.read { (bytes) throws(FormatError) in
                var reader = OldPropertyList(file: bytes, duplicateKeys: rule)
                return try reader.readDocument()
            }
            return (PropertyList(value), .oldText)
        }
    }

    /// Writes a file that ``read(_:duplicateKeys:)`` reads as the equal list: the same keys, the same kinds of values,
    /// and the same bits of numbers. A `SettingValue.number` that is an integer or a real is read back as that.
    ///
    /// Keys are sorted, so that equal lists give equal files. The old text form is in ASCII, with `\U` escapes for all
    /// other characters, as `defaults read` prints it: every reader of the last decades supports that. It is indented
    /// by four spaces, and strings are in quotation marks only if they need them.
    ///
    /// - Throws: `FormatError` with the key of a value that the form does not hold. ``DocumentConversion`` replaces
    ///   such a value, and reports the loss.
    public func data(as form: Form) throws(FormatError) -> Data {
        var adaptation = Adaptation(to: .propertyList(form), isExact: true)
        let adapted = try adaptation.adapt(value)
        if let loss = adaptation.losses.first {
            throw FormatError(.unsupportedValue, at: .key(loss.key), loss.obstacle)
        }
        return try Self.data(of: adapted, as: form)
    }

    /// Writes a value that the form holds.
    static func data(of value: SettingValue, as form: Form) throws(FormatError) -> Data {
        switch form {
        case .xml: return Data(try PropertyListDocument.xml(value))
        case .binary: return Data(try PropertyListDocument.binary(value))
        case .oldText:
            var writer = OldTextWriter()
            try writer.write(value)
            return Data(writer.finish())
        }
    }
}

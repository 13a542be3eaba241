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

    /// Creates a property list from a value.
    public init(_ value: SettingValue) { self.value = value }

    /// Reads a property list in any form.
    ///
    /// XML and the old text form may be in UTF-8, or in UTF-16 with a byte order mark. In the old text form,
    ///
    /// - the braces around the outermost dictionary may be missing, as in files of strings: `"a" = "b";`;
    /// - a key without an equals sign has itself as its value;
    /// - of two entries with the same key, the last one counts, as in Apple's reader; in the other forms that is an
    ///   error;
    /// - a file with nothing but white space and comments is an empty dictionary;
    /// - GNUstep's types are read as their values: `<*I5>`, `<*R1.5>`, `<*BY>`, `<*D2001-12-31 23:59:59 +0000>` and
    ///   `<[AQID]>`.
    ///
    /// - Throws: `FormatError` with the line and the column, or the byte of a binary file. An empty file, one of more
    ///   than 256 MiB, and one with more than 128 levels of arrays and dictionaries are errors.
    public static func read(_ data: Data) throws(FormatError) -> (list: PropertyList, form: Form) {
        guard !data.isEmpty else { throw FormatError(.syntax, at: .text(line: 1, column: 1), "The file is empty.") }
        return try read(Document([UInt8](data)))
    }

    static func read(_ document: Document) throws(FormatError) -> (list: PropertyList, form: Form) {
        switch document {
        case .binary(let bytes): return (PropertyList(try PropertyListDocument.read(bytes)), .binary)
        case .xml(let text): return (PropertyList(try text.readXML()), .xml)
        case .text(let text):
            let value = try text.read { (bytes) throws(FormatError) in
                var reader = OldPropertyList(file: bytes)
                return try reader.readDocument()
            }
            return (PropertyList(value), .oldText)
        }
    }

    /// Writes a file that ``read(_:)`` reads as the equal list: the same keys, the same kinds of values, and the same
    /// bits of numbers. A `SettingValue.number` that is an integer or a real is read back as that.
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

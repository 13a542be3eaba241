import Settle

/// The fields of a form or of a query, in order.
///
/// The format is application/x-www-form-urlencoded, as in the WHATWG's URL standard. All fields are read: a list
/// without its last entries would be stored like that.
package struct FormFields: Sendable {
    package private(set) var fields: [(name: String, value: String)] = []

    package init() {}

    package init(_ encoded: some Collection<UInt8>) {
        for part in encoded.split(separator: UInt8(ascii: "&")) {
            let separator = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = separator == part.endIndex ? part[separator...] : part[part.index(after: separator)...]
            fields.append((Self.decoded(part[..<separator]), Self.decoded(value)))
        }
    }

    /// The first value with a name.
    package subscript(name: String) -> String? { fields.first { $0.name.hasSameBytes(as: name) }?.value }

    /// Returns all values with a name.
    package func all(_ name: String) -> [String] { fields.filter { $0.name.hasSameBytes(as: name) }.map(\.value) }

    /// Decodes bytes. Invalid UTF-8 becomes the replacement character.
    private static func decoded(_ bytes: some Collection<UInt8>) -> String {
        PercentEncoding.decoded(bytes, plusIsSpace: true)
    }
}

import Settle

/// The fields of a form or of a query, in their order.
///
/// As in the WHATWG's URL standard, application/x-www-form-urlencoded.
struct FormFields: Sendable {
    private(set) var fields: [(name: String, value: String)] = []

    /// More fields than any page has; a body of separators must not cost more than it is long.
    private static let limit = 10_000

    init() {}

    init(_ encoded: some Collection<UInt8>) {
        for part in encoded.split(separator: UInt8(ascii: "&"), maxSplits: Self.limit) where !part.isEmpty {
            let separator = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = separator == part.endIndex ? part[separator...] : part[part.index(after: separator)...]
            fields.append((Self.decoded(part[..<separator]), Self.decoded(value)))
        }
    }

    /// The first value of a name.
    subscript(name: String) -> String? { fields.first { $0.name.hasSameBytes(as: name) }?.value }

    /// All values of a name.
    func all(_ name: String) -> [String] { fields.filter { $0.name.hasSameBytes(as: name) }.map(\.value) }

    /// Bytes that are no UTF-8 become the replacement character.
    private static func decoded(_ bytes: some Collection<UInt8>) -> String {
        PercentEncoding.decoded(bytes, plusIsSpace: true)
    }
}

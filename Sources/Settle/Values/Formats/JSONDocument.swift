#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON of other programs, with any value at its root.
package enum JSONDocument {
    /// Reads a text in UTF-8 without a byte order mark. Positions in its errors are byte offsets.
    package static func read(
        _ bytes: [UInt8], duplicateKeys: DuplicateKeyRule = .refused
    ) throws(FormatError) -> SettingValue {
        try FormatLimits.checkSize(of: bytes)
        var reader = JSONReader(bytes, duplicateKeys: duplicateKeys)
        return try reader.readFragment()
    }

    /// Writes a text in the style of a settings file: sorted, and indented by two spaces.
    package static func write(_ value: SettingValue) throws(FormatError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.write(value)
        return writer.finish()
    }
}

extension SettingValue {
    /// Creates the value of a number in JSON spelling: an integer or a real if one of them holds it exactly; `nil` if
    /// it is not a number.
    package init?(numberLiteral literal: String) {
        guard DecimalNumber.isLiteral(literal) else { return nil }
        var reader = JSONReader(Array(literal.utf8))
        guard let value = try? reader.readNumber() else { return nil }
        self = value
    }
}

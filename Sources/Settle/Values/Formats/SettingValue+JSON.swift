#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SettingValue {
    /// Reads a value of any kind, not only an object, from JSON (RFC 8259) as in a JSON settings file.
    ///
    /// JSON has neither dates nor data, so these are strings here, which are converted to a setting's declared type
    /// when they are written to it. The limits are those of settings files: 256 MiB, and 128 levels of arrays and
    /// objects.
    ///
    /// - Throws: ``FormatError`` with the line and the column.
    public init(json: Data) throws(FormatError) {
        let bytes = [UInt8](json)
        do throws(FormatError) {
            try FormatLimits.checkSize(of: bytes)
            var reader = JSONReader(bytes)
            self = try reader.readFragment()
        } catch {
            throw error.located(inText: bytes)
        }
    }

    /// Returns the value as JSON in UTF-8, spelled as in a JSON settings file, but on one line and without spaces: keys
    /// are sorted, dates are ISO 8601 strings, and data are base64 strings.
    ///
    /// - Throws: ``FormatError`` with the key, if JSON can't represent a part of the value: a number that is not
    ///   finite, a ``SettingValue/number(_:)`` that is not a number, or too many levels.
    public func json() throws(FormatError) -> Data { Data(try jsonBytes()) }

    /// Returns what ``json()`` does, in an array.
    package func jsonBytes() throws(FormatError) -> [UInt8] {
        var writer = JSONWriter(.compactJSON)
        try writer.write(self)
        return writer.finish()
    }
}

/// An encoding of a ``SettingTree`` as bytes.
///
/// `decode` reads what `encode` writes, with one exception: a format without dates or data writes them as text, which
/// stays text until a setting converts it. `encode` writes what `decode` reads with the same meaning.
package protocol TreeFormat: Sendable {
    /// - Throws: ``FormatError`` with the place in the file.
    func decode(_ bytes: [UInt8]) throws(FormatError) -> SettingTree

    /// - Throws: ``FormatError`` with the key of a value that the format can't represent. Nothing is left out silently.
    func encode(_ tree: SettingTree) throws(FormatError) -> [UInt8]
}

/// Limits that readers enforce. Writers respect them too, so that they write nothing that can't be read.
enum FormatLimits {
    static let bytes = 1 << 28

    static func checkSize(of bytes: [UInt8]) throws(FormatError) {
        guard bytes.count <= Self.bytes else {
            throw FormatError(.limit, atByte: Self.bytes, "The file is larger than \(Self.bytes >> 20) MiB.")
        }
    }
}

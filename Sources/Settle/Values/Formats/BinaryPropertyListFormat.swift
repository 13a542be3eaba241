/// The binary form of property lists, version 00.
///
///     offset    bytes
///     0         8      "bplist00"
///     8         …      objects: a marker byte (kind in the high half, size in the low one) and a payload
///     table     n × s  the offset of each object, s bytes each
///     end − 32  6      unused, and a version of the sort order
///     end − 26  1      s
///     end − 25  1      r, the size of a reference to an object in arrays and dictionaries
///     end − 24  8      n, the number of objects
///     end − 16  8      the number of the root object
///     end − 8   8      the offset of the table
///
/// All numbers are big-endian. Since objects refer to each other by number, a small or damaged file can describe an
/// endless tree; the reader refuses cycles, and trees that expand to much more than their file.
///
/// References, which belong to keyed archives (UIDs), and sets are refused: setting values could not write them back.
package struct BinaryPropertyListFormat: TreeFormat {
    static let magic = Array("bplist00".utf8)
    static let trailerSize = 32

    package init() {}

    package func decode(_ bytes: [UInt8]) throws(FormatError) -> SettingTree {
        try FormatLimits.checkSize(of: bytes)
        var reader = try BinaryPropertyListReader(bytes)
        return try reader.readFile()
    }

    package func encode(_ tree: SettingTree) throws(FormatError) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        _ = try writer.add(.dictionary(tree.root), depth: 1)
        return writer.finish()
    }
}

/// The kinds of objects, as the high half of their marker byte.
enum BinaryPropertyListKind {
    /// Null, false and true.
    static let simple: UInt8 = 0x0
    static let integer: UInt8 = 0x1
    static let real: UInt8 = 0x2
    static let date: UInt8 = 0x3
    static let data: UInt8 = 0x4
    static let ascii: UInt8 = 0x5
    static let utf16: UInt8 = 0x6
    /// A reference to another object of a keyed archive.
    static let reference: UInt8 = 0x8
    static let array: UInt8 = 0xA
    static let dictionary: UInt8 = 0xD

    static let null: UInt8 = 0x00
    static let `false`: UInt8 = 0x08
    static let `true`: UInt8 = 0x09
}

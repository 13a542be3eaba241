/// The first byte of a value. The numbers are part of the file format and must never change.
enum JournalValueTag {
    /// In entries only: no value.
    static let absent: UInt8 = 0
    static let null: UInt8 = 1
    static let `false`: UInt8 = 2
    static let `true`: UInt8 = 3
    static let integer: UInt8 = 4
    static let real: UInt8 = 5
    static let number: UInt8 = 6
    static let string: UInt8 = 7
    static let date: UInt8 = 8
    static let data: UInt8 = 9
    static let array: UInt8 = 10
    static let dictionary: UInt8 = 11
    /// In entries only: whether there was a value is unknown.
    static let unknown: UInt8 = 255
}

/// The first byte of a value. The numbers stand in files and may never change.
enum JournalValueTag {
    /// In an entry only: no value.
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
    /// In an entry only: nobody knows whether there was a value.
    static let unknown: UInt8 = 255
}

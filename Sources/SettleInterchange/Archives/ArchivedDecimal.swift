import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A decimal number as in `NSDecimalNumber`: an integer of up to 128 bits and a power of ten.
struct ArchivedDecimal {
    private let magnitude: UInt128
    private let exponent: Int
    private let isNegative: Bool

    /// Reads a JSON literal; `nil` if it can't be represented.
    init?(_ literal: String) {
        guard let number = DecimalNumber(literal), number.exponent >= -128 else { return nil }
        exponent = min(number.exponent, 127)
        isNegative = number.isNegative
        // Further powers of ten become digits.
        let digits = DecimalNumber(isNegative: false, digits: number.digits, exponent: number.exponent - exponent)
        guard let magnitude = UInt128(exactly: digits) else { return nil }
        self.magnitude = magnitude
    }

    /// Returns a number of a property list, as it would be read if it had been written as a decimal number.
    static func value(of literal: String) -> ArchivedValue {
        ArchivedDecimal(literal).map {
            .decimal($0.magnitude, exponent: $0.exponent, isNegative: $0.isNegative)
        } ?? .number(literal)
    }

    /// Encodes the number as `NSDecimalNumber` does; see ``ArchiveWalker``.
    func write(to entries: inout SettingValue.Entries) {
        var bytes: [UInt8] = []
        for group in 0..<8 {
            let bits = UInt16(truncatingIfNeeded: magnitude >> (16 * group))
            bytes += [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
        }
        // The groups up to the highest one that is not zero.
        let length = (UInt128.bitWidth - magnitude.leadingZeroBitCount + 15) / 16
        entries["NS.exponent"] = .integer(Int64(exponent))
        entries["NS.length"] = .integer(Int64(length))
        entries["NS.negative"] = .bool(isNegative)
        entries["NS.compact"] = .bool(true)
        entries["NS.mantissa.bo"] = .integer(1)
        entries["NS.mantissa"] = .data(Data(bytes))
    }
}

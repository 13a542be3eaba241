/// Reading the values that a scan of simple JSON has found.
extension SimpleJSON {
    /// Returns a whole number, `true`, `false` or a string; `nil` for anything else, which may be a value or an error.
    @inline(__always)
    func value(at range: Range<Int>) -> SettingValue? {
        switch bytes[range.lowerBound] {
        case UInt8(ascii: "\""): string(at: range).map { .string($0) }
        case UInt8(ascii: "t"): bytes[range].elementsEqual("true".utf8) ? .bool(true) : nil
        case UInt8(ascii: "f"): bytes[range].elementsEqual("false".utf8) ? .bool(false) : nil
        default: integer(at: range).map { .integer($0) }
        }
    }

    /// Returns the contents of a string without escapes; `nil` if any of it is a control character or not ASCII.
    @inline(__always)
    func string(at range: Range<Int>) -> String? {
        let contents = UnsafeRawBufferPointer(rebasing: bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
        return Self.isPlainASCII(contents) ? String(decoding: contents, as: UTF8.self) : nil
    }

    /// Checks eight bytes at a time.
    @inline(__always)
    private static func isPlainASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // The top bit of a byte is set if that is not ASCII, or if subtracting the first character that is not a control
        // character makes it negative.
        var found: UInt64 = 0
        if bytes.count >= 8 {
            // The last eight bytes, some of which are checked twice.
            var word = bytes.word(at: bytes.count - 8)
            found = word | (word &- 0x2020_2020_2020_2020)
            for offset in stride(from: 0, to: bytes.count - 8, by: 8) {
                word = bytes.word(at: offset)
                found |= word | (word &- 0x2020_2020_2020_2020)
            }
        } else {
            for byte in bytes { found |= UInt64(byte | (byte &- 0x20)) }
        }
        return found & 0x8080_8080_8080_8080 == 0
    }

    /// Returns a number without a fraction, an exponent and a negative zero that can't be too large.
    @inline(__always)
    private func integer(at range: Range<Int>) -> Int64? {
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        let digits = (range.lowerBound + (isNegative ? 1 : 0))..<range.upperBound
        guard (1...18).contains(digits.count) else { return nil }
        // Another digit after a zero is an error.
        let mayBeZero = digits.count == 1 && !isNegative
        guard mayBeZero || bytes[digits.lowerBound] != UInt8(ascii: "0") else { return nil }
        var value: Int64 = 0
        for offset in digits {
            guard bytes[offset].isDigit else { return nil }
            value = value &* 10 &+ Int64(bytes[offset].digitValue)
        }
        return isNegative ? -value : value
    }
}

/// Bytes as lowercase hexadecimal digits.
package enum HexadecimalText {
    package static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self)
    }

    /// Returns the bytes of digits; `nil` if these are not digits, or not pairs of them.
    package static func bytes(of digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var (bytes, rest) = ([UInt8](), digits[...])
        while let high = rest.popFirst(), let low = rest.popFirst() {
            guard let high = value(of: high), let low = value(of: low) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns 128 random bits from the system's generator.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

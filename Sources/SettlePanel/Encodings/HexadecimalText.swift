/// Bytes as lowercase hexadecimal digits.
enum HexadecimalText {
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self)
    }

    /// Returns 128 random bits from the system's generator.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

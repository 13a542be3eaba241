/// Signs what a panel gives to browsers, so that it knows it again: a keyed hash, such as HMAC with SHA-256.
///
/// The library has no cryptography of its own. With swift-crypto:
///
/// ```swift
/// struct HMACAuthentication: MessageAuthentication {
///     func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
///         Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
///     }
/// }
/// ```
public protocol MessageAuthentication: Sendable {
    /// The code of a message: the same for the same message and key, and at least 16 bytes that nobody can tell without
    /// the key.
    func code(for message: [UInt8], key: [UInt8]) -> [UInt8]
}

extension MessageAuthentication {
    func code(for message: String, _ key: PanelKey) -> String {
        HexadecimalText.text(of: code(for: Array(message.utf8), key: key.bytes))
    }
}

/// Bytes as lowercase hexadecimal digits.
enum HexadecimalText {
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] }, as: UTF8.self)
    }

    /// 128 random bits from the system's generator.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

extension String {
    /// Whether both have the same bytes, found in a time that does not tell where they differ.
    func isSameSecret(as other: String) -> Bool {
        let (bytes, others) = (Array(utf8), Array(other.utf8))
        guard bytes.count == others.count else { return false }
        var difference: UInt8 = 0
        for (byte, other) in zip(bytes, others) { difference |= byte ^ other }
        return difference == 0
    }
}

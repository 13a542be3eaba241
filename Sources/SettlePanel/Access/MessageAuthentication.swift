import SettleHTTP

/// Signs the data that a panel gives to browsers, so that it recognizes that data later: a keyed hash, such as HMAC
/// with SHA-256.
///
/// The library has no cryptography of its own; the guide <doc:AnotherServer> has code without a dependency. With
/// swift-crypto, or with CryptoKit:
///
/// ```swift
/// struct HMACAuthentication: MessageAuthentication {
///     func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
///         Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
///     }
/// }
/// ```
public protocol MessageAuthentication: Sendable {
    /// Returns the code of a message: the same for the same message and key, and at least 16 bytes that can't be
    /// determined without the key.
    func code(for message: [UInt8], key: [UInt8]) -> [UInt8]
}

extension MessageAuthentication {
    func code(for message: String, _ key: PanelKey) -> String {
        HexadecimalText.text(of: code(for: Array(message.utf8), key: key.bytes))
    }
}

extension String {
    /// Returns whether both have the same bytes, in a time that does not reveal where they differ.
    func isSameSecret(as other: String) -> Bool {
        let (bytes, others) = (Array(utf8), Array(other.utf8))
        guard bytes.count == others.count else { return false }
        var difference: UInt8 = 0
        for (byte, other) in zip(bytes, others) { difference |= byte ^ other }
        return difference == 0
    }
}

import Crypto
public import SettlePanel

/// HMAC with SHA-256, by swift-crypto.
public struct HMACAuthentication: MessageAuthentication {
    public init() {}

    public func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

// Settle 0.1.0-dev: copy this file. The guide “A panel for your program” names the products that it needs.

import Crypto
public import SettlePanel

/// HMAC with SHA-256, by swift-crypto.
public struct HMACAuthentication: MessageAuthentication {
    public init() {}

    public func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

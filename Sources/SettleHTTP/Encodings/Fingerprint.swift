/// A short text that distinguishes other texts.
package enum Fingerprint {
    package static func of(_ text: String) -> String { of(text.utf8) }

    package static func of(_ bytes: some Sequence<UInt8>) -> String { String(number(of: bytes), radix: 36) }

    /// FNV-1a: not cryptographic.
    package static func number(of bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// A short text that tells other texts apart.
enum Fingerprint {
    private static let offset: UInt64 = 0xcbf2_9ce4_8422_2325

    static func of(_ text: String) -> String { String(number(of: text.utf8), radix: 36) }

    /// FNV-1a: not cryptographic.
    ///
    /// - Parameter earlier: The number of the bytes before these.
    static func number(of bytes: some Sequence<UInt8>, after earlier: UInt64? = nil) -> UInt64 {
        bytes.reduce(earlier ?? offset) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

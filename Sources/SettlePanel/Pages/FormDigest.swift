import SettleHTTP

/// Distinguishes a form from the same form with other contents: a number of 48 bits.
///
/// Each form that a page receives has its digest as an attribute, whether it comes with the page, as an answer, alone
/// or in an event. So the page's script compares forms without reading them. A form with a refused change has another
/// digest.
///
/// It is not cryptographic: choosing a form's contents so that two have the same digest gains nothing.
struct FormDigest: Sendable, Hashable {
    private let number: UInt64

    /// The length of its text in characters, of 6 bits each.
    static let length = 8

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    init(of form: HTML) { self.init(number: Fingerprint.number(of: form.bytes)) }

    /// Combines several digests into one.
    init(of digests: some Sequence<FormDigest>) {
        self.init(number: Fingerprint.number(of: digests.flatMap(\.text.utf8)))
    }

    private init(number: UInt64) { self.number = (number ^ (number >> 48)) & 0xffff_ffff_ffff }

    /// Reads ``text``; `nil` for anything else.
    init?(_ text: some Collection<UInt8>) {
        guard text.count == Self.length else { return nil }
        var number: UInt64 = 0
        for byte in text {
            guard let digit = Self.digits.firstIndex(of: byte) else { return nil }
            number = number << 6 | UInt64(digit)
        }
        self.init(number: number)
    }

    var text: String {
        let digits = (0..<Self.length).reversed().map { Self.digits[Int(number >> (6 * UInt64($0)) & 63)] }
        return String(decoding: digits, as: UTF8.self)
    }
}

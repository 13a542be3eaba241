/// Tells a form from the same form with something else in it: a number of 48 bits.
///
/// Each form that a page gets has its own as an attribute, whether it comes with the page, as an answer, alone or in an event. So
/// the page's script compares forms without looking into them. One that a person's change was refused in has another mark.
///
/// Not cryptographic: whoever may choose what a form shows gains nothing from two with the same mark.
struct FormMark: Sendable, Hashable {
    private let number: UInt64

    /// How many characters its text has, of 6 bits each.
    static let length = 8

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The mark of a form that has none yet. Its place in the history is left out: that is another after each change of
    /// anything.
    init(of form: HTML) {
        self.init(
            number: form.bytes.withUnsafeBufferPointer { bytes in
                guard let place = Self.endOfPlace(in: bytes) else { return Fingerprint.number(of: bytes) }
                let head = Fingerprint.number(of: bytes[..<place])
                return Fingerprint.number(of: bytes[place...].drop { $0 != UInt8(ascii: "\"") }, after: head)
            })
    }

    /// Quotation marks in texts are escaped, so this is the field and nothing else.
    private static let place = Array("name=\"token\" value=\"".utf8)

    /// By hand: the general search costs as much as all the rest.
    private static func endOfPlace(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        place.withUnsafeBufferPointer { place in
            var start = 0
            while start + place.count <= bytes.count {
                var length = 0
                while length < place.count, bytes[start + length] == place[length] { length += 1 }
                if length == place.count { return start + length }
                start += 1
            }
            return nil
        }
    }

    /// One for several.
    init(of marks: some Sequence<FormMark>) {
        self.init(number: Fingerprint.number(of: marks.flatMap(\.text.utf8)))
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

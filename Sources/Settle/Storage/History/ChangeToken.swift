/// A position in the history of a file or of another storage.
///
/// All processes that share a file count its transactions in one order, which continues across restarts. A token names
/// one of them, and the moment after it. Follow later changes with
/// ``SettingsStore/History/changes(after:durableOnly:)``, look back with ``SettingsStore/History/values(at:)``, and
/// take the transaction back with ``SettingsStore/History/undo(_:force:author:)``.
///
/// A token is valid for one history: its checksum depends on everything before it. So a restored backup, a copied
/// folder and a cloned disk are noticed once the histories diverge. A token contains no part of any value, so it may
/// leave the program, for example in a header or a cookie.
public struct ChangeToken: Sendable, Hashable {
    /// Identifies the history: a number made once for each file, with the time in its upper 50 bits and 14 random bits.
    /// Histories that begin later have greater numbers if the clock is right.
    public var history: UInt64
    /// The number of transactions up to here. Numbers may be skipped where records were lost.
    public var position: UInt64
    /// The checksum of the record with the transaction. It includes the checksum of the record before it.
    public var checksum: UInt64

    /// Creates a token, for example from parts that a storage has saved.
    public init(history: UInt64, position: UInt64, checksum: UInt64) {
        self.history = history
        self.position = position
        self.checksum = checksum
    }
}

extension ChangeToken: LosslessStringConvertible {
    /// The history and the checksum as 16 hexadecimal digits, around the position as a decimal number, for example
    /// `00c0ffee00c0ffee-42-0123456789abcdef`.
    public var description: String {
        "\(Self.digits(of: history))-\(position)-\(Self.digits(of: checksum))"
    }

    /// Parses the text of a ``description``; `nil` for anything else.
    public init?(_ description: String) {
        let parts = description.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, let history = Self.number(parts[0]), let checksum = Self.number(parts[2]),
            let position = UInt64(Substring(parts[1]))
        else { return nil }
        self.init(history: history, position: position, checksum: checksum)
        // One text for each token, so that texts can be compared too.
        guard self.description.utf8.elementsEqual(description.utf8) else { return nil }
    }

    private static let digitCount = 16

    private static func digits(of number: UInt64) -> String {
        String(unsafeUninitializedCapacity: digitCount) { digits in
            for place in 0..<digitCount {
                let digit = UInt8(truncatingIfNeeded: number >> (4 * UInt64(digitCount - 1 - place))) & 15
                digits[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return digitCount
        }
    }

    private static func number(_ digits: Substring.UTF8View.SubSequence) -> UInt64? {
        digits.count == digitCount ? UInt64(Substring(digits), radix: 16) : nil
    }
}

extension ChangeToken: Codable {
    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = ChangeToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is not a change token.")
        }
        self = token
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension ChangeToken {
    /// Returns the first token of a new history.
    package static func beginning() -> ChangeToken {
        // In units of sixteen microseconds.
        let time = UInt64(max(0, wallTime(isExact: true)) * 62_500) << 14
        return ChangeToken(
            history: time | .random(in: 1..<(1 << 14)), position: 0, checksum: .random(in: .min ... .max))
    }

    /// Returns the token some transactions earlier, in the same record.
    package func moved(back count: UInt64) -> ChangeToken {
        ChangeToken(history: history, position: position - min(position, count), checksum: checksum)
    }

    /// The token behind a gap of unknown size, which no follower of this token reaches.
    package var behindGap: ChangeToken {
        ChangeToken(history: history, position: position + 1, checksum: .random(in: .min ... .max))
    }
}

/// A place in the history of a file or of another storage.
///
/// All processes that share a file count its transactions in one order, which goes on across restarts. A token names
/// one of them, and with it the moment after it: follow what comes later with
/// ``SettingsStore/History/changes(after:durableOnly:)``, look back with ``SettingsStore/History/values(at:)``, and
/// take it back with ``SettingsStore/History/undo(_:force:author:)``.
///
/// A token belongs to one past: its checksum depends on everything before it. So a backup that was restored, a folder
/// that was copied and a disk that was cloned are noticed once they have gone another way. It contains nothing of any
/// value, so it may leave the program, such as in a header or a cookie.
public struct ChangeToken: Sendable, Hashable {
    /// Identifies the history: a number made once for each file, of the time in its upper 50 bits and 14 random ones.
    /// Histories that begin later have greater numbers, as far as the clock is right.
    public var history: UInt64
    /// How many transactions there have been up to here. Numbers may be left out, where records were lost.
    public var position: UInt64
    /// The checksum of the record with the transaction, in which that of the record before it is contained.
    public var checksum: UInt64

    /// Creates a token, such as one that a storage has kept.
    public init(history: UInt64, position: UInt64, checksum: UInt64) {
        self.history = history
        self.position = position
        self.checksum = checksum
    }
}

extension ChangeToken: LosslessStringConvertible {
    /// The history and the checksum as 16 hexadecimal digits, around the position as a decimal number, such as
    /// `00c0ffee00c0ffee-42-0123456789abcdef`.
    public var description: String {
        "\(Self.digits(of: history))-\(position)-\(Self.digits(of: checksum))"
    }

    /// Reads what ``description`` says; `nil` for anything else.
    public init?(_ description: String) {
        let parts = description.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, let history = Self.number(parts[0]), let checksum = Self.number(parts[2]),
            let position = UInt64(Substring(parts[1]))
        else { return nil }
        self.init(history: history, position: position, checksum: checksum)
        // One text for each token, so that texts can be compared, too.
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
    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = ChangeToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no change token.")
        }
        self = token
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension ChangeToken {
    /// The first of a new history.
    package static func beginning() -> ChangeToken {
        // In sixteen microseconds.
        let time = UInt64(max(0, wallTime(isExact: true)) * 62_500) << 14
        return ChangeToken(
            history: time | .random(in: 1..<(1 << 14)), position: 0, checksum: .random(in: .min ... .max))
    }

    /// The place some transactions earlier, in the same record.
    package func moved(back count: UInt64) -> ChangeToken {
        ChangeToken(history: history, position: position - min(position, count), checksum: checksum)
    }

    /// The place behind a gap of unknown size, which no follower of this one reaches.
    package var behindGap: ChangeToken {
        ChangeToken(history: history, position: position + 1, checksum: .random(in: .min ... .max))
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A moment as an exact decimal number of seconds, with its spellings.
///
/// A `Date` is a double that counts seconds since 2001. Its shortest decimal spelling is converted to the calendar, or
/// to 1970, digit by digit, and back the same way: so every date is read as exactly the double that was written, which
/// floating-point arithmetic can't guarantee.
struct Timestamp: Hashable {
    /// Whole seconds since the start of 2001 in UTC, rounded down.
    private let seconds: Int128
    /// The digits after the decimal point, to be added to ``seconds``.
    private let fraction: [UInt8]

    private static let from1970To2001: Int128 = 978_307_200
    private static let daysFrom1970To2001: Int128 = 11_323
    private static let secondsPerDay: Int128 = 86_400

    private init(seconds: Int128, fraction: [UInt8]) {
        self.seconds = seconds
        self.fraction = fraction
    }
}

// MARK: - Numbers

extension Timestamp {
    /// `nil` for dates that are not finite, or so far away that 36 digits do not suffice for their seconds.
    init?(_ date: Date) {
        guard let decimal = DecimalNumber(shortest: date.timeIntervalSinceReferenceDate) else { return nil }
        self.init(secondsSince2001: decimal)
    }

    init?(secondsSince1970 decimal: DecimalNumber) {
        guard let since1970 = Timestamp(secondsSince2001: decimal) else { return nil }
        self.init(seconds: since1970.seconds - Self.from1970To2001, fraction: since1970.fraction)
    }

    private init?(secondsSince2001 decimal: DecimalNumber) {
        // Doubles have at most 340 fractional digits in their shortest spelling.
        guard let wholeDigits = decimal.wholeDigits(limit: 36), let fraction = decimal.fractionDigits(limit: 400),
            let whole = Int128(exactly: DecimalNumber(isNegative: false, digits: wholeDigits, exponent: 0))
        else { return nil }
        if decimal.isNegative {
            self.init(seconds: fraction.isEmpty ? -whole : -whole - 1, fraction: Self.complement(of: fraction))
        } else {
            self.init(seconds: whole, fraction: fraction)
        }
    }

    /// The nearest date; for a timestamp made from a date, that date.
    var date: Date {
        Date(timeIntervalSinceReferenceDate: Double(literal(of: seconds)) ?? .nan)
    }

    /// Seconds since 1970 as a JSON number.
    var secondsSince1970: String { literal(of: seconds + Self.from1970To2001) }

    private func literal(of seconds: Int128) -> String {
        guard !fraction.isEmpty else { return String(seconds) }
        guard seconds < 0 else { return "\(seconds).\(Self.text(fraction))" }
        return "-\(-seconds - 1).\(Self.text(Self.complement(of: fraction)))"
    }

    /// The digits of 1 − 0.`fraction`; the last digit of `fraction` is not 0.
    private static func complement(of fraction: [UInt8]) -> [UInt8] {
        guard let last = fraction.last else { return [] }
        return fraction.dropLast().map { 9 - $0 } + [10 - last]
    }

    private static func text(_ digits: [UInt8]) -> String {
        String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
    }
}

extension Date {
    /// Returns `nil` if there is no double close to it.
    init?(secondsSince1970 decimal: DecimalNumber) {
        if let timestamp = Timestamp(secondsSince1970: decimal) {
            self = timestamp.date
        } else {
            // Either out of range, or finer than any spelling of a double.
            guard let seconds = Double(decimal.literal), seconds.isFinite else { return nil }
            self.init(timeIntervalSince1970: seconds)
        }
    }
}

// MARK: - ISO 8601

extension Timestamp {
    /// The moment in UTC, as in `2001-12-31T23:59:59.25Z`, with as many fractional digits as it has; `nil` outside the
    /// years 0000 to 9999, which four digits cannot spell.
    var iso8601: String? { iso8601(in: .gregorian) }

    func iso8601(in calendar: CalendarDay.Calendar) -> String? {
        let (days, secondOfDay) = seconds.flooredDivision(by: Self.secondsPerDay)
        guard let days = Int(exactly: days + Self.daysFrom1970To2001),
            let day = CalendarDay(daysSince1970: days, in: calendar),
            (0...9999).contains(day.year)
        else { return nil }
        let second = Int(secondOfDay)
        var text: [UInt8] = []
        text.append(day.year, width: 4)
        text.append(UInt8(ascii: "-"))
        text.append(day.month, width: 2)
        text.append(UInt8(ascii: "-"))
        text.append(day.day, width: 2)
        text.append(UInt8(ascii: "T"))
        text.append(second / 3600, width: 2)
        text.append(UInt8(ascii: ":"))
        text.append(second / 60 % 60, width: 2)
        text.append(UInt8(ascii: ":"))
        text.append(second % 60, width: 2)
        if !fraction.isEmpty { text.append(UInt8(ascii: ".")) }
        return String(decoding: text, as: UTF8.self) + Self.text(fraction) + "Z"
    }

    /// Reads `2001-12-31T23:59:59.25Z` and common variants: an offset such as `+02:00`, lower-case letters, a space for
    /// the `T`, no seconds, or the date alone, which means midnight in UTC.
    ///
    /// A time without an offset is refused: it means a different moment in each time zone.
    init?(iso8601 text: String, in calendar: CalendarDay.Calendar = .gregorian) {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(width: 4), scanner.skip("-"), let month = scanner.number(width: 2),
            scanner.skip("-"), let dayOfMonth = scanner.number(width: 2),
            let day = CalendarDay(year: year, month: month, day: dayOfMonth, in: calendar)
        else { return nil }
        let midnight = (Int128(day.daysSince1970) - Self.daysFrom1970To2001) * Self.secondsPerDay
        guard !scanner.isAtEnd else {
            self.init(seconds: midnight, fraction: [])
            return
        }
        guard scanner.skip("T", "t") || scanner.skip(" "), let time = scanner.timeOfDay(),
            let offset = scanner.offset(), scanner.isAtEnd
        else { return nil }
        var fraction = time.fraction
        while fraction.last == 0 { fraction.removeLast() }
        guard fraction.count <= 400 else { return nil }
        self.init(seconds: midnight + Int128(time.seconds - offset), fraction: fraction)
    }
}

/// Reads the fixed-width fields of a timestamp.
private struct DigitScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position == bytes.count }

    /// Skips `first` or `second`, if one of them is next.
    mutating func skip(_ first: Unicode.Scalar, _ second: Unicode.Scalar? = nil) -> Bool {
        guard !isAtEnd else { return false }
        let next = Unicode.Scalar(bytes[position])
        guard next == first || next == second else { return false }
        position += 1
        return true
    }

    mutating func number(width: Int) -> Int? {
        guard bytes.count - position >= width else { return nil }
        var number = 0
        for byte in bytes[position..<(position + width)] {
            guard byte.isDigit else { return nil }
            number = number * 10 + Int(byte.digitValue)
        }
        position += width
        return number
    }

    mutating func timeOfDay() -> (seconds: Int, fraction: [UInt8])? {
        guard let hour = number(width: 2), hour < 24, skip(":"), let minute = number(width: 2), minute < 60
        else { return nil }
        let seconds = hour * 3600 + minute * 60
        guard skip(":") else { return (seconds, []) }
        guard let second = number(width: 2), second < 60 else { return nil }
        guard skip(".") else { return (seconds + second, []) }
        var fraction: [UInt8] = []
        while !isAtEnd, bytes[position].isDigit {
            fraction.append(bytes[position].digitValue)
            position += 1
        }
        return fraction.isEmpty ? nil : (seconds + second, fraction)
    }

    /// Seconds east of UTC: `Z`, `+02:00`, `+0200` or `+02`.
    mutating func offset() -> Int? {
        if skip("Z", "z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(width: 2), hours < 24 else { return nil }
        guard !isAtEnd else { return isWest ? -hours * 3600 : hours * 3600 }
        _ = skip(":")
        guard let minutes = number(width: 2), minutes < 60 else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return isWest ? -seconds : seconds
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: Int, width: Int) {
        var divisor = (1..<width).reduce(1) { product, _ in product * 10 }
        for _ in 0..<width {
            append(UInt8(number / divisor % 10) + UInt8(ascii: "0"))
            divisor /= 10
        }
    }
}

extension Int128 {
    fileprivate func flooredDivision(by divisor: Int128) -> (quotient: Int128, remainder: Int128) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

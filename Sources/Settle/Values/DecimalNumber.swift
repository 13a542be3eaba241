/// A decimal number of any length, for questions that binary floating point cannot answer exactly.
///
/// Its value is `digits` × 10^`exponent`, negated if `isNegative`. It has one form for each value: no zeros at either
/// end of `digits`, and none at all for zero.
struct DecimalNumber: Hashable {
    private(set) var isNegative: Bool
    /// The significant digits, 0…9, the most significant first.
    private(set) var digits: [UInt8]
    private(set) var exponent: Int

    /// Reads a literal as JSON spells numbers. Exponents beyond ±1,000,000 are not read: no caller has a use for them.
    init?(_ literal: some StringProtocol) {
        var rest = Array(literal.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let whole = rest.prefix(while: \.isDigit)
        rest = rest.dropFirst(whole.count)
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: \.isDigit)
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(fraction.count + 1)
        }
        var exponent = 0
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            guard let last = rest.last, last.isDigit, let written = Int(String(decoding: rest, as: UTF8.self)),
                abs(written.clamped(to: 2_000_000)) <= 1_000_000
            else { return nil }
            exponent = written
            rest = []
        }
        guard rest.isEmpty else { return nil }
        self.init(
            isNegative: isNegative, digits: (whole + fraction).map(\.digitValue), exponent: exponent - fraction.count)
    }

    /// The number's shortest decimal spelling that no other double shares; `nil` if the number is not finite.
    init?(shortest value: Double) {
        guard value.isFinite else { return nil }
        self.init(value.description)
    }

    init(_ value: some BinaryInteger) {
        self.init(
            isNegative: value < 0,
            digits: String(value.magnitude).utf8.map(\.digitValue),
            exponent: 0)
    }

    init(isNegative: Bool, digits: [UInt8], exponent: Int) {
        let trimmed = digits.drop { $0 == 0 }
        let trailing = trimmed.reversed().prefix { $0 == 0 }.count
        self.digits = Array(trimmed.dropLast(trailing))
        self.isNegative = isNegative && !self.digits.isEmpty
        self.exponent = self.digits.isEmpty ? 0 : exponent + trailing
    }

    var isZero: Bool { digits.isEmpty }
    var isInteger: Bool { exponent >= 0 }

    func multipliedByPowerOfTen(_ power: Int) -> DecimalNumber {
        DecimalNumber(isNegative: isNegative, digits: digits, exponent: exponent + power)
    }

    /// The digits of the whole part of the magnitude, at least one; `nil` if there are more than `limit`.
    func wholeDigits(limit: Int) -> [UInt8]? {
        let count = digits.count + exponent
        guard count > 0 else { return [0] }
        guard count <= limit else { return nil }
        return Array(digits.prefix(count)) + Array(repeating: 0, count: max(0, exponent))
    }

    /// The digits after the decimal point; `nil` if there are more than `limit`.
    func fractionDigits(limit: Int) -> [UInt8]? {
        guard exponent < 0 else { return [] }
        guard -exponent <= limit else { return nil }
        let padding = max(0, -exponent - digits.count)
        return Array(repeating: 0, count: padding) + digits.suffix(-exponent)
    }
}

extension FixedWidthInteger {
    /// The integer of the same value, if there is one.
    init?(exactly decimal: DecimalNumber) {
        guard decimal.isInteger, let digits = decimal.wholeDigits(limit: 40) else { return nil }
        var value: Self = 0
        for digit in digits {
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, carry) =
                decimal.isNegative
                ? shifted.subtractingReportingOverflow(Self(digit)) : shifted.addingReportingOverflow(Self(digit))
            guard !overflow, !carry else { return nil }
            value = next
        }
        self = value
    }
}

extension UInt8 {
    var isDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }
    /// The value of an ASCII digit.
    var digitValue: UInt8 { self &- UInt8(ascii: "0") }
}

extension Int {
    fileprivate func clamped(to limit: Int) -> Int { Swift.min(Swift.max(self, -limit), limit) }
}

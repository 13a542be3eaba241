/// A decimal number of any length, for computations that binary floating point can't do exactly.
///
/// Its value is `digits` × 10^`exponent`, negated if `isNegative`. Each value has a single form: no zeros at either end
/// of `digits`, and no digits at all for zero.
package struct DecimalNumber: Equatable {
    package private(set) var isNegative: Bool
    /// The significant digits, 0…9, the most significant first.
    package private(set) var digits: [UInt8]
    package private(set) var exponent: Int

    /// Reads a literal in JSON spelling. Exponents beyond ±1,000,000 are refused: callers do not need them.
    package init?(_ literal: some StringProtocol) {
        let text = Array(literal.utf8)
        guard let parts = LiteralParts(text[...]) else { return nil }
        var exponent = 0
        if let written = parts.exponent {
            guard let value = Int(String(decoding: written, as: UTF8.self)), (-1_000_000...1_000_000).contains(value)
            else { return nil }
            exponent = value
        }
        self.init(
            isNegative: parts.isNegative,
            digits: (parts.whole + parts.fraction).map(\.digitValue),
            exponent: exponent - parts.fraction.count)
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

    package init(isNegative: Bool, digits: [UInt8], exponent: Int) {
        let trimmed = digits.drop { $0 == 0 }
        let trailing = trimmed.reversed().prefix { $0 == 0 }.count
        self.digits = Array(trimmed.dropLast(trailing))
        self.isNegative = isNegative && !self.digits.isEmpty
        self.exponent = self.digits.isEmpty ? 0 : exponent + trailing
    }

    /// Returns whether a text is a number in JSON spelling.
    package static func isLiteral(_ text: String) -> Bool {
        LiteralParts(Array(text.utf8)[...]) != nil
    }

    /// The number in scientific notation.
    var literal: String {
        let digits = String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
        return isZero ? "0" : "\(isNegative ? "-" : "")\(digits)e\(exponent)"
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

/// The parts of a JSON number literal.
private struct LiteralParts {
    let isNegative: Bool
    let whole: ArraySlice<UInt8>
    let fraction: ArraySlice<UInt8>
    /// With its sign.
    let exponent: ArraySlice<UInt8>?

    init?(_ text: ArraySlice<UInt8>) {
        var rest = text
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        whole = rest.prefix(while: \.isDigit)
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
        rest = rest.dropFirst(whole.count)
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: \.isDigit)
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(fraction.count + 1)
        } else {
            fraction = []
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            exponent = rest
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard !rest.isEmpty, rest.allSatisfy(\.isDigit) else { return nil }
        } else {
            exponent = nil
            guard rest.isEmpty else { return nil }
        }
    }
}

extension FixedWidthInteger {
    /// The integer of the same value, if there is one.
    package init?(exactly decimal: DecimalNumber) {
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
    package var isDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }
    /// The value of an ASCII digit.
    var digitValue: UInt8 { self &- UInt8(ascii: "0") }
}

extension JSONReader {
    /// Reads a number so that writing it again preserves its meaning.
    ///
    /// Without a point and an exponent it becomes an integer, or keeps its spelling if it is too large. Otherwise it
    /// becomes the nearest double if the double's shortest spelling means the same number, and keeps its spelling if
    /// not.
    mutating func readNumber() throws(FormatError) -> SettingValue {
        let start = position
        let isNegative = skip("-")
        var mantissa = Mantissa()
        let wholeStart = position
        readDigits(into: &mantissa)
        let wholeCount = position - wholeStart
        guard wholeCount > 0 else { throw failure("A digit is expected here.") }
        guard wholeCount == 1 || bytes[wholeStart] != UInt8(ascii: "0") else {
            throw failure("A number must not start with 0.", at: start)
        }
        var isInteger = true
        var exponent = 0
        if skip(".") {
            isInteger = false
            let fractionStart = position
            readDigits(into: &mantissa)
            exponent = fractionStart - position
            guard exponent < 0 else { throw failure("A digit is expected after the decimal point.") }
        }
        if skip("e") || skip("E") {
            isInteger = false
            exponent += try readExponent()
        }
        if isInteger {
            return integer(isNegative: isNegative, mantissa, start)
        }
        if let exact = mantissa.double(exponent: exponent) { return .real(isNegative ? -exact : exact) }
        return real(start)
    }

    private mutating func readDigits(into mantissa: inout Mantissa) {
        while position < bytes.count, bytes[position].isDigit {
            mantissa.append(bytes[position].digitValue)
            position += 1
        }
    }

    /// Capped far beyond every double, so that it can't overflow.
    private mutating func readExponent() throws(FormatError) -> Int {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        let start = position
        var exponent = 0
        while position < bytes.count, bytes[position].isDigit {
            exponent = min(exponent * 10 + Int(bytes[position].digitValue), 1_000_000_000)
            position += 1
        }
        guard position > start else { throw failure("A digit is expected in the exponent.") }
        return isNegative ? -exponent : exponent
    }

    private func integer(isNegative: Bool, _ mantissa: Mantissa, _ start: Int) -> SettingValue {
        guard !mantissa.overflows else { return .number(literal(from: start)) }
        // Keep a negative zero as a real: integers have none, and the program that wrote it meant it.
        guard !isNegative || mantissa.value != 0 else { return .real(-0.0) }
        let magnitude = Int128(mantissa.value)
        guard let value = Int64(exactly: isNegative ? -magnitude : magnitude) else {
            return .number(literal(from: start))
        }
        return .integer(value)
    }

    private func real(_ start: Int) -> SettingValue {
        let literal = literal(from: start)
        guard let value = Double(literal), let decimal = DecimalNumber(literal),
            DecimalNumber(shortest: value) == decimal
        else { return .number(literal) }
        return .real(value)
    }

    private func literal(from start: Int) -> String {
        String(decoding: bytes[start..<position], as: UTF8.self)
    }
}

/// A number's digits as an integer, as long as they fit.
private struct Mantissa {
    private(set) var value: UInt64 = 0
    private(set) var overflows = false

    mutating func append(_ digit: UInt8) {
        let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
        let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
        overflows = overflows || isTooLarge || carries
        value = sum
    }

    /// The powers of ten that a double represents exactly.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]

    /// Returns the double whose shortest spelling is this mantissa with this exponent, where a quick test is certain:
    /// each number of up to 15 digits has a double of its own, and with an exact power of ten one rounding finds it.
    func double(exponent: Int) -> Double? {
        guard !overflows, value < 1_000_000_000_000_000, abs(exponent) < Self.powers.count else { return nil }
        return exponent < 0 ? Double(value) / Self.powers[-exponent] : Double(value) * Self.powers[exponent]
    }
}

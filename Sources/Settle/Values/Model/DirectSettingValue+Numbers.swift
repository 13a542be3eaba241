extension DirectSettingValue where Self: FixedWidthInteger {
    static var shape: ValueShape {
        if isSigned, bitWidth == Int64.bitWidth { return ValueShape(.integer) }
        return ValueShape(.integer, minimum: try? min.settingValue(), maximum: try? max.settingValue())
    }

    /// Accepts whole numbers in any spelling, such as `3.0`, as people or other programs may write them.
    init(settingValue: SettingValue) throws(SettingCodingError) {
        let exact: Self? =
            switch settingValue {
            case .integer(let value): Self(exactly: value)
            case .real(let value): Self(exactly: value)
            case .number(let literal): DecimalNumber(literal).flatMap { Self(exactly: $0) }
            default: nil
            }
        guard let exact else {
            throw SettingCodingError(expected: Self.demand(of: settingValue), found: settingValue)
        }
        self = exact
    }

    /// Returns the expected form as text. The bounds of 64 bits and more are meaningful only to a user who has run into
    /// them.
    private static func demand(of found: SettingValue) -> String {
        let isInteger =
            switch found {
            case .integer, .number: true
            case .real(let value): value == value.rounded()
            default: false
            }
        return isInteger || bitWidth < Int64.bitWidth ? "an integer from \(min) to \(max)" : "an integer"
    }

    func settingValue() -> SettingValue {
        Int64(exactly: self).map(SettingValue.integer) ?? .number(String(self))
    }
}

extension Int: DirectSettingValue {}
extension Int8: DirectSettingValue {}
extension Int16: DirectSettingValue {}
extension Int32: DirectSettingValue {}
extension Int64: DirectSettingValue {}
extension Int128: DirectSettingValue {}
extension UInt: DirectSettingValue {}
extension UInt8: DirectSettingValue {}
extension UInt16: DirectSettingValue {}
extension UInt32: DirectSettingValue {}
extension UInt64: DirectSettingValue {}
extension UInt128: DirectSettingValue {}

extension Double: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.number) }

    /// Accepts whole numbers that a double holds exactly. A decimal fraction becomes the nearest double, as usual; one
    /// that is too large for a double, or so small that the nearest double is zero, is refused.
    init(settingValue: SettingValue) throws(SettingCodingError) {
        guard let value = Double(nearest: settingValue) else {
            throw SettingCodingError(expected: "a number that a Double holds", found: settingValue)
        }
        self = value
    }

    func settingValue() -> SettingValue {
        isFinite ? .real(self) : .string(nonFiniteName)
    }

    fileprivate init?(nearest settingValue: SettingValue) {
        switch settingValue {
        case .real(let value):
            self = value
        case .integer(let integer):
            guard let value = Double(exactly: integer) else { return nil }
            self = value
        case .number(let literal):
            guard let decimal = DecimalNumber(literal), let value = Double(literal), value.isFinite,
                value != 0 || decimal.isZero,
                !decimal.isInteger || Self.spelling(decimal, denotes: value)
            else { return nil }
            self = value
        case .string("nan"):
            self = .nan
        case .string("inf"):
            self = .infinity
        case .string("-inf"):
            self = -.infinity
        default:
            return nil
        }
    }

    private static func spelling(_ whole: DecimalNumber, denotes value: Double) -> Bool {
        Int128(exactly: value).map(DecimalNumber.init) == whole || DecimalNumber(shortest: value) == whole
    }

    fileprivate var nonFiniteName: String {
        isNaN ? "nan" : self < 0 ? "-inf" : "inf"
    }
}

extension Float: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.number) }

    /// Follows the rules of `Double`: whole numbers exactly, fractions to the nearest value, and nothing out of range.
    init(settingValue: SettingValue) throws(SettingCodingError) {
        let refusal = SettingCodingError(expected: "a number that a Float holds", found: settingValue)
        guard let double = Double(nearest: settingValue) else { throw refusal }
        let value = Float(double)
        guard double.isFinite else {
            self = value
            return
        }
        let isWhole = double.rounded() == double
        guard value.isFinite, value != 0 || double == 0, !isWhole || isNearestSpelling(of: value, double) else {
            throw refusal
        }
        self = value
    }

    /// The double with the same shortest decimal spelling, so that `0.1` stays `0.1` in the file.
    func settingValue() -> SettingValue {
        guard isFinite else { return .string(Double(self).nonFiniteName) }
        let double = Double(self)
        guard let spelled = Double(description), Float(spelled) == self else { return .real(double) }
        return .real(spelled)
    }
}

/// Whether `Float` holds a whole number, or the number is the spelling that `settingValue()` gives to such a value.
private func isNearestSpelling(of value: Float, _ double: Double) -> Bool {
    Double(value) == double || Double(value.description) == double
}

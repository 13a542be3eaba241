import Settle

/// The value with which a text begins, as Apple's strings read it. The rest is ignored.
extension String {
    /// True after `y`, `t` or a number that begins with one of the digits 1 to 9, false after `n`, `f` or zeros.
    var leadingBool: Bool? {
        let text = utf8.withoutSpaceAndSign
        let rest = text.drop { $0 == UInt8(ascii: "0") }
        switch rest.first.map({ Character(Unicode.Scalar($0)) }) {
        case "Y", "y", "T", "t": return true
        case let digit? where digit.isWholeNumber: return true
        case "N", "n", "F", "f": return false
        default: return rest.startIndex == text.startIndex ? nil : false
        }
    }

    /// The integer, limited to the range of `Int`.
    var leadingInteger: Int? {
        let digits = utf8.withoutSpaceAndSign.prefix(while: \.isDigit)
        guard !digits.isEmpty else { return nil }
        let isNegative = utf8[..<digits.startIndex].last == UInt8(ascii: "-")
        let text = (isNegative ? "-" : "") + String(Substring(digits))
        return Int(text) ?? (isNegative ? .min : .max)
    }

    /// The number with its fraction and exponent; infinite if it is too large.
    var leadingDouble: Double? {
        let text = utf8.withoutSpaceAndSign
        let isNegative = utf8[..<text.startIndex].last == UInt8(ascii: "-")
        let whole = text.prefix(while: \.isDigit)
        var rest = text[whole.endIndex...]
        let fraction = rest.first == UInt8(ascii: ".") ? rest.dropFirst().prefix(while: \.isDigit) : rest.prefix(0)
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        if !fraction.isEmpty { rest = rest[fraction.endIndex...] }
        let number = "\(Substring(whole)).\(Substring(fraction))0e\(rest.leadingExponent)"
        return Double("0" + number).map { isNegative ? -$0 : $0 }
    }

    /// The text without a zero fraction: `12` for `12.0`.
    var withoutZeroFraction: String { hasSuffix(".0") ? String(dropLast(2)) : self }
}

extension Substring.UTF8View {
    /// The next exponent with its sign; `0` if there is none.
    fileprivate var leadingExponent: Substring {
        guard first == UInt8(ascii: "e") || first == UInt8(ascii: "E") else { return "0" }
        let text = dropFirst()
        let hasSign = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
        let digits = text.dropFirst(hasSign ? 1 : 0).prefix(while: \.isDigit)
        return digits.isEmpty ? "0" : Substring(text[..<digits.endIndex])
    }
}

extension String.UTF8View {
    fileprivate var withoutSpaceAndSign: Substring.UTF8View {
        let text = drop { $0.isTextSpace }
        return text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? text.dropFirst() : text
    }
}

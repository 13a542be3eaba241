extension Duration: DirectSettingValue {
    static var shape: ValueShape { ValueShape(.duration) }

    /// Accepts decimal seconds with up to 18 fractional digits, as `"90.5s"` or as a plain number, and the texts that
    /// ``DurationText`` reads, which users may write into a file as well as into an argument.
    init(settingValue: SettingValue) throws(SettingCodingError) {
        let seconds: DecimalNumber? =
            switch settingValue {
            case .string(let text): text.utf8.last == UInt8(ascii: "s") ? DecimalNumber(text.dropLast()) : nil
            case .integer(let value): DecimalNumber(value)
            case .real(let value): DecimalNumber(shortest: value)
            case .number(let literal): DecimalNumber(literal)
            default: nil
            }
        if seconds == nil, case .string(let text) = settingValue, let read = DurationText.duration(text[...]) {
            self = read
            return
        }
        guard let attoseconds = seconds.flatMap({ Int128(exactly: $0.multipliedByPowerOfTen(18)) }) else {
            throw SettingCodingError(expected: "a duration such as \"90.5s\" or \"1m30s\"", found: settingValue)
        }
        self.init(attoseconds: attoseconds)
    }

    func settingValue() -> SettingValue {
        let (seconds, fraction) = attoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
        var text = (attoseconds < 0 ? "-" : "") + String(seconds)
        if fraction != 0 {
            var digits = String(fraction)
            digits = String(repeating: "0", count: 18 - digits.utf8.count) + digits
            while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
            text += "." + digits
        }
        return .string(text + "s")
    }
}

/// A duration as people write it: `250ms`, `5s`, `1m30s`, `1.5h`, `2d`.
///
/// Numbers with units, the larger units first, and each unit at most once.
package enum DurationText {
    private static let units: [(name: String, factor: Int128, power: Int)] = [
        ("d", 86_400, 18), ("h", 3600, 18), ("m", 60, 18), ("s", 1, 18), ("ms", 1, 15), ("us", 1, 12), ("µs", 1, 12),
        ("μs", 1, 12), ("ns", 1, 9),
    ]

    /// Returns `nil` if the text is not a duration, or one that is too long or too exact for a `Duration`.
    package static func duration(_ text: Substring) -> Duration? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        var rest = isNegative ? text.dropFirst() : text
        var sum: Int128 = 0
        var remaining = units[...]
        repeat {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let name = rest[number.endIndex...].prefix { $0.isLetter }
            guard let index = remaining.firstIndex(where: { $0.name == name }),
                let attoseconds = attoseconds(number, remaining[index].factor, remaining[index].power)
            else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(attoseconds)
            guard !overflow else { return nil }
            sum = total
            remaining = remaining[(index + 1)...]
            rest = rest[name.endIndex...]
        } while !rest.isEmpty
        return Duration(attoseconds: isNegative ? -sum : sum)
    }

    private static func attoseconds(_ number: Substring, _ factor: Int128, _ power: Int) -> Int128? {
        guard let decimal = DecimalNumber(number),
            let whole = Int128(exactly: decimal.multipliedByPowerOfTen(power))
        else { return nil }
        let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }
}

import FoundationEssentials

#if canImport(Settle)
    import Settle
#endif

/// Bitwise equality: zeros with their sign, NaNs, and strings scalar by scalar.
func isSame(_ left: SettingValue, _ right: SettingValue) -> Bool {
    switch (left, right) {
    case (.real(let left), .real(let right)):
        left.isNaN ? right.isNaN : left == right && left.sign == right.sign
    case (.date(let left), .date(let right)):
        left == right
            || left.timeIntervalSinceReferenceDate.bitPattern == right.timeIntervalSinceReferenceDate.bitPattern
    case (.string(let left), .string(let right)):
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    case (.array(let left), .array(let right)):
        left.count == right.count && zip(left, right).allSatisfy(isSame)
    case (.dictionary(let left), .dictionary(let right)):
        left.count == right.count
            && left.allSatisfy { key, value in right[key].map { isSame(value, $0) } ?? false }
    default:
        left == right
    }
}

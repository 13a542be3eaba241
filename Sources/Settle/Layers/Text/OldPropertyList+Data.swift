#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension OldPropertyList {
    /// Reads data after its `<`, which has been skipped: pairs of hexadecimal digits, with space between the pairs
    /// only.
    mutating func readData(from start: Int) throws(FormatError) -> SettingValue {
        var data = Data()
        while true {
            try skipSpace(withComments: false)
            if skip(">") { return .data(data) }
            guard !isAtEnd else { throw failure("The data that starts here has no end.", at: start) }
            guard let high = peek()?.hexadecimalValue, let low = peek(1)?.hexadecimalValue else {
                throw failure("Data must be pairs of hexadecimal digits.")
            }
            data.append(high << 4 | low)
            position += 2
        }
    }
}

package import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// GNUstep's types, which files may contain.
extension OldPropertyList {
    /// Begins to read a file.
    ///
    /// - Parameters:
    ///   - bytes: Text in UTF-8, without a byte order mark.
    ///   - duplicateKeys: The value that counts if a dictionary has a key twice. If that is refused, the last one
    ///     counts, as in Apple's reader.
    package init(file bytes: [UInt8], duplicateKeys: DuplicateKeyRule = .refused) {
        self.init(bytes, duplicateKeys: duplicateKeys) { (reader, start) throws(FormatError) in
            if reader.skip("*") { return try reader.readTyped(from: start) }
            return reader.skip("[") ? try reader.readBase64(from: start) : nil
        }
    }

    /// Reads GNUstep's `<[AQID]>`.
    private mutating func readBase64(from start: Int) throws(FormatError) -> SettingValue {
        var text: [UInt8] = []
        while let byte = peek(), byte != UInt8(ascii: "]") {
            if !byte.isTextSpace { text.append(byte) }
            position += 1
        }
        guard skip("]"), skip(">") else { throw failure("The data that starts here has no end.", at: start) }
        guard let data = Data(base64Encoded: Data(text)) else {
            throw failure("The data that starts here is not in base64.", rule: .unsupportedValue, at: start)
        }
        return .data(data)
    }

    /// Reads GNUstep's `<*I5>`, `<*R1.5>`, `<*BY>` and `<*D2001-12-31 23:59:59 +0000>`. The part after the letter may
    /// be in quotation marks.
    private mutating func readTyped(from start: Int) throws(FormatError) -> SettingValue {
        let content = bytes[position...].prefix { $0 != UInt8(ascii: ">") }
        guard let letter = content.first, content.endIndex < bytes.count else {
            throw failure("The value that starts here has no end.", at: start)
        }
        var digits = content.dropFirst()
        if digits.count > 2, digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\"") {
            digits = digits.dropFirst().dropLast()
        }
        guard let value = typedValue(letter, String(decoding: digits, as: UTF8.self)) else {
            throw failure("This is not a value in GNUstep's form.", rule: .unsupportedValue, at: start)
        }
        position = content.endIndex + 1
        return value
    }

    private func typedValue(_ letter: UInt8, _ text: String) -> SettingValue? {
        switch letter {
        case UInt8(ascii: "I"):
            guard text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: "-") }) else { return nil }
            // In JSON, an integer is not a negative zero and does not begin with zeros.
            return Int64(text).map(SettingValue.integer) ?? SettingValue(numberLiteral: text)
        case UInt8(ascii: "R"): return real(text).map(SettingValue.real)
        case UInt8(ascii: "B"):
            switch text {
            case "Y", "YES": return .bool(true)
            case "N", "NO": return .bool(false)
            default: return nil
            }
        case UInt8(ascii: "D"): return date(text).map(SettingValue.date)
        default: return nil
        }
    }

    private func real(_ text: String) -> Double? {
        switch text {
        case "nan": return .nan
        case "inf": return .infinity
        case "-inf": return -.infinity
        default: break
        }
        guard DecimalNumber.isLiteral(text), let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Reads a date. The offset is preceded by a space, which ISO 8601 does not have.
    private func date(_ text: String) -> Date? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return try? SettingCodec<Date>.standard.decode(.string("\(parts[0])T\(parts[1])\(parts[2])"))
    }
}

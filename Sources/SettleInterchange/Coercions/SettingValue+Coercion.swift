import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingValue {
    var coercedToString: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "1" : "0"
        case .integer(let value): String(value)
        case .real(let value): value.description.withoutZeroFraction
        case .null, .date, .data, .array, .dictionary: nil
        }
    }

    var coercedToBool: Bool? {
        switch self {
        case .string(let text): text.leadingBool
        case .bool(let value): value
        default: coercedToDouble.map { $0 != 0 }
        }
    }

    var coercedToInteger: Int? {
        switch self {
        case .string(let text): text.leadingInteger
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Int(clamping: value)
        case .real(let value): Int(clamping: value)
        case .number(let literal): DecimalNumber(literal).flatMap { Int(exactly: $0) ?? Int(clamping: literal) }
        case .null, .date, .data, .array, .dictionary: nil
        }
    }

    var coercedToDouble: Double? {
        switch self {
        case .string("nan"): .nan
        case .string("inf"): .infinity
        case .string("-inf"): -.infinity
        case .string(let text): text.leadingDouble
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .real(let value): value
        case .number(let literal): Double(literal)
        case .null, .date, .data, .array, .dictionary: nil
        }
    }

    func coercedToURL(home: () -> String) -> URL? {
        guard case .string(let text) = self, !text.isEmpty else { return nil }
        if text == "~" { return URL(filePath: home(), directoryHint: .isDirectory) }
        if text.utf8.starts(with: "~/".utf8) { return URL(filePath: home() + text.dropFirst()) }
        // The homes of other users are not looked up.
        if text.utf8.first == UInt8(ascii: "~") { return nil }
        if let url = URL(string: text, encodingInvalidCharacters: false), url.scheme != nil { return url }
        return URL(filePath: text)
    }
}

extension Int {
    /// Creates the integer part, or the nearest integer for a number that is too large; `nil` for NaN.
    fileprivate init?(clamping value: Double) {
        guard !value.isNaN else { return nil }
        self = Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }

    fileprivate init?(clamping literal: String) {
        guard let value = Double(literal) else { return nil }
        self.init(clamping: value)
    }
}

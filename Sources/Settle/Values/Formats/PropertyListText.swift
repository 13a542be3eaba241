#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The representation, as strings of a property list, of values that it has no element for: null, as Foundation's
/// encoder does, and, in XML, the dates that `<date>` can't hold, such as `$date 2001-12-31T23:59:59.25Z`.
///
/// A string of the same spelling gets a leading dollar sign, and so does every string that has received some already.
enum PropertyListText {
    static let null = "$null"
    private static let datePrefix = "$date "

    /// Returns the value that a string in a property list represents.
    static func value(of text: String) -> SettingValue {
        guard isSpecial(text) else { return .string(text) }
        if text.utf8.elementsEqual(null.utf8) { return .null }
        if text.utf8.starts(with: datePrefix.utf8) {
            return date(text.dropFirst(datePrefix.count)).map(SettingValue.date) ?? .string(text)
        }
        return .string(String(text.dropFirst()))
    }

    /// The spelling of a string in a property list.
    static func spelling(of text: String) -> String {
        isSpecial(text) ? "$" + text : text
    }

    /// The spelling of a date as a string.
    static func spelling(of date: Date) throws(FormatError) -> String {
        switch try DateSpelling(date) {
        case .iso8601(let text), .secondsSince1970(let text): datePrefix + text
        }
    }

    private static func date(_ text: Substring) -> Date? {
        let date =
            Timestamp(iso8601: String(text))?.date ?? DecimalNumber(String(text)).flatMap(Date.init(secondsSince1970:))
        return date.flatMap { $0.timeIntervalSinceReferenceDate.isFinite ? $0 : nil }
    }

    /// Whether a string is "null", or begins with "date ", after one or more dollar signs.
    private static func isSpecial(_ text: String) -> Bool {
        guard text.utf8.first == UInt8(ascii: "$") else { return false }
        let rest = text.utf8.drop { $0 == UInt8(ascii: "$") }
        return rest.elementsEqual("null".utf8) || rest.starts(with: "date ".utf8)
    }
}

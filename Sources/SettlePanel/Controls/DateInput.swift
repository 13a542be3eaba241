import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Dates in the format of HTML's inputs: in UTC, without a time zone.
enum DateInput {
    /// Returns the text of a date; `nil` for years that the input does not have.
    static func text(of date: Date) -> String? {
        let text = DateConversion.text(of: date)
        guard text.utf8.count >= 20, text.utf8.first != UInt8(ascii: "-"), text.hasSuffix("Z"),
            text.utf8.prefix(5).last == UInt8(ascii: "-")
        else { return nil }
        return String(text.dropLast())
    }

    static func value(of text: String) -> SettingValue? {
        if let value = TextReading.date.value(of: text) { return value }
        // Browsers leave out seconds that are zero.
        return TextReading.date.value(of: text + "Z") ?? TextReading.date.value(of: text + ":00Z")
    }
}

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The spelling of a date where a format has no dates.
enum DateSpelling {
    case iso8601(String)
    /// A number literal, for years that don't fit into four digits.
    case secondsSince1970(String)

    init(_ date: Date) throws(FormatError) {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.isFinite else {
            throw FormatError(.unsupportedValue, at: .key(""), "A date must be finite, but this one is \(interval).")
        }
        guard let timestamp = Timestamp(date) else {
            // So far away that adding the years between 1970 and 2001 would not change the last digit.
            self = .secondsSince1970(interval.description)
            return
        }
        self = timestamp.iso8601.map(Self.iso8601) ?? .secondsSince1970(timestamp.secondsSince1970)
    }
}

/// Conversions of dates to formats other than those of settings files.
package enum DateConversion {
    /// Returns the date without its fraction of a second, rounded down, which an XML property list can hold; `nil`
    /// outside the years that four digits can represent.
    package static func wholeSeconds(of date: Date) -> Date? {
        let whole = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        return isXMLDate(whole) ? whole : nil
    }

    /// Returns whether an XML property list can hold the date.
    static func isXMLDate(_ date: Date) -> Bool { Timestamp(date)?.iso8601(in: .historical)?.utf8.count == 20 }

    /// Returns the date as a text that a setting reads as the same date; only a word if the date is not finite.
    package static func text(of date: Date) -> String {
        switch try? DateSpelling(date) {
        case .iso8601(let text), .secondsSince1970(let text): text
        case nil: date.timeIntervalSinceReferenceDate.description
        }
    }
}

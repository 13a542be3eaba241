#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a date is written where a format has no dates.
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

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// The date in whole seconds, which every file format spells exactly, and in a year that every calendar can show. A
    /// broken clock may give any number, or none.
    var displayable: Date {
        let seconds = timeIntervalSince1970
        guard !seconds.isNaN else { return Date(timeIntervalSince1970: 0) }
        return Date(timeIntervalSince1970: min(max(seconds, Self.firstYear), Self.lastYear).rounded(.down))
    }

    /// The beginning of the year 1, and the last second of 9999, since 1970.
    private static let (firstYear, lastYear) = (-62_135_596_800.0, 253_402_300_799.0)
}

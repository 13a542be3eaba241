#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The readings of the machine's clocks at a moment.
public struct Moment: Sendable, Hashable {
    /// Different after each boot.
    public var bootID: String
    /// Time since the machine booted, sleep included. It can't be set.
    public var uptime: Duration
    /// Wall time, which can be set: for display only.
    public var date: Date

    public init(bootID: String, uptime: Duration, date: Date) {
        self.bootID = bootID
        self.uptime = uptime
        self.date = date
    }
}

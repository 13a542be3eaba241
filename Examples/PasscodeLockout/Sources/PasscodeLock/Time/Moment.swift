#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What the machine's clocks say at one moment.
public struct Moment: Sendable, Hashable {
    /// Another one after each boot.
    public var bootID: String
    /// Time since the machine booted, sleep included. Nobody can set it.
    public var uptime: Duration
    /// Wall time, which anybody can set: for display only.
    public var date: Date

    public init(bootID: String, uptime: Duration, date: Date) {
        self.bootID = bootID
        self.uptime = uptime
        self.date = date
    }
}

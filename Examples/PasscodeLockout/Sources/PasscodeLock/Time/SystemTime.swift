#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time of the machine on which the program runs.
public struct SystemTime: MachineTime {
    public init() {}

    public func now() throws -> Moment {
        Moment(bootID: try Self.bootID(), uptime: try Self.uptime(), date: Date())
    }

    public func sleep(untilUptime deadline: Duration) async throws {
        try await ContinuousClock().sleep(for: max(.zero, deadline - Self.uptime()))
    }
}

/// Why a machine gives no time.
public struct MachineTimeError: Error, Sendable, CustomStringConvertible {
    public let description: String
}

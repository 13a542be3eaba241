#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One event in a lock's life. It never contains a passcode or a guess.
public struct AuditRecord: Sendable, Hashable, Codable {
    public enum Event: String, Sendable, Hashable, Codable {
        /// A passcode was chosen.
        case enrolled
        /// The right passcode was given, and a new one chosen.
        case passcodeChanged
        /// A passcode was tried. It is counted before it is compared.
        case attempt
        /// The right passcode was given.
        case accepted
        /// A wait began.
        case delayed
        /// No more passcodes are compared.
        case exhausted
        /// A finding that no crash explains.
        case tampering
    }

    public enum Outcome: String, Sendable, Hashable, Codable {
        case wrong
        /// The verifier failed, which counts as wrong.
        case failed
    }

    /// 1 for the first record of a lock.
    public var number: Int
    /// By the wall clock in whole seconds, so only for display.
    public var date: Date
    public var event: Event
    /// The number of tries after the event.
    public var attemptCount: Int?
    /// How an attempt ended. `nil` while it is in progress, or if the program ended before the outcome.
    public var outcome: Outcome?
    /// The wait that began; for an attempt, the one that begins unless it is right.
    public var wait: Duration?
    /// A sentence about the finding.
    public var detail: String?

    init(
        _ event: Event, number: Int, date: Date, attemptCount: Int? = nil, wait: Duration? = nil, detail: String? = nil
    ) {
        self.number = number
        self.date = date
        self.event = event
        self.attemptCount = attemptCount
        self.wait = wait
        self.detail = detail
    }
}

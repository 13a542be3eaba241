import Foundation
import PasscodeLock

/// A status for programs. Keys are only ever added.
struct StatusReport: Encodable {
    /// `ready`, `delayed`, `exhausted` or `unavailable`.
    let status: String
    /// For an unavailable lock: `notOpened`, or the name of a `LockStatus.Reason`.
    let reason: String?
    /// The reason in words; for a delayed lock, what would keep the next try from being stored.
    let detail: String?
    /// Seconds until a passcode may be tried, for a delayed lock.
    let remaining: Double?
    /// The number of the schedule's wait, for a delayed lock.
    let level: Int?
    /// When the wait ends unless the clock is set or the machine reboots.
    let nextCheck: Date?
    /// Tries since the last right one; missing if unknown.
    let attemptCount: Int?
    /// The number of tries before no more are accepted.
    let limit: Int

    /// - Parameter obstacle: What would keep a try from being stored, as a sentence.
    init(
        _ status: LockStatus, of lock: PasscodeLockout, nextCheck date: Date?, attemptCount: Int?, obstacle: String?
    ) {
        var (remaining, level, nextCheck): (Double?, Int?, Date?)
        var (reason, detail): (String?, String?)
        switch status {
        case .ready: self.status = "ready"
        case .exhausted: self.status = "exhausted"
        case .delayed(let left, let number):
            self.status = "delayed"
            (remaining, level, nextCheck, detail) = (left / .seconds(1), number, date, obstacle)
        case .unavailable(let why):
            self.status = "unavailable"
            let further = why == .notEnrolled ? obstacle.map { " \($0)" } : nil
            (reason, detail) = (why.name, "\(why)\(further ?? "")")
        }
        (self.remaining, self.level, self.nextCheck) = (remaining, level, nextCheck)
        (self.reason, self.detail) = (reason, detail)
        self.attemptCount = attemptCount
        limit = lock.limit
    }

    /// For a lock whose stores can't be opened.
    init(_ error: any Error) {
        (status, reason, detail) = ("unavailable", "notOpened", "\(error)")
        (remaining, level, nextCheck, attemptCount) = (nil, nil, nil, nil)
        limit = LockSchedule.standard.limit
    }

    /// On one line, with sorted keys and ISO 8601 dates.
    var json: String {
        get throws { try JSONEncoder.line.text(of: self) }
    }
}

extension JSONEncoder {
    static var line: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    func text(of value: some Encodable) throws -> String {
        String(decoding: try encode(value), as: UTF8.self)
    }
}

extension LockStatus.Reason {
    /// For programs.
    fileprivate var name: String {
        switch self {
        case .notEnrolled: "notEnrolled"
        case .damaged: "damaged"
        case .mismatched: "mismatched"
        case .rolledBack: "rolledBack"
        case .otherVersion: "otherVersion"
        case .busy: "busy"
        case .notSaved: "notSaved"
        case .noWitness: "noWitness"
        case .noTime: "noTime"
        }
    }
}

import Foundation
import PasscodeLock

/// An audit record for programs. Keys are only ever added.
struct AuditReport: Encodable {
    let number: Int
    let date: Date
    let event: AuditRecord.Event
    /// How an attempt ended; missing while it is in progress, or if the process ended first.
    let outcome: AuditRecord.Outcome?
    let attemptCount: Int?
    /// The wait that began, in seconds.
    let wait: Double?
    let detail: String?

    init(_ record: AuditRecord) {
        (number, date, event, outcome) = (record.number, record.date, record.event, record.outcome)
        (attemptCount, wait, detail) = (record.attemptCount, record.wait.map { $0 / .seconds(1) }, record.detail)
    }
}

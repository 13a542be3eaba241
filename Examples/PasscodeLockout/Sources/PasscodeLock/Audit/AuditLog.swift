#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A lock's newest audit records, oldest first.
struct AuditLog: Sendable, Hashable {
    private(set) var records: [AuditRecord]

    /// The number of records kept. The standard schedule writes some 40 from the first wrong guess to the last.
    static let limit = 100

    /// No lock gets this far. A greater number was forged, perhaps to make the next one overflow.
    private static let greatestNumber = Int.max / 2

    /// Chooses the longest of several copies. What decides about tries is elsewhere, so a copy whose records are
    /// damaged (`nil`) is only left out.
    init(_ copies: [[AuditRecord]?]) {
        let possible = copies.map { copy in
            (copy ?? []).filter { 1...Self.greatestNumber ~= $0.number && $0.date == $0.date.displayable }
        }
        records = possible.max { ($0.last?.number ?? 0) < ($1.last?.number ?? 0) } ?? []
    }

    mutating func add(
        _ event: AuditRecord.Event, at moment: Moment, attemptCount: Int? = nil, wait: Duration? = nil,
        detail: String? = nil
    ) {
        let number = (records.last?.number ?? 0) + 1
        records.append(
            AuditRecord(
                event, number: number, date: moment.date.displayable, attemptCount: attemptCount, wait: wait,
                detail: detail))
        records.removeFirst(max(0, records.count - Self.limit))
    }

    /// Records a try, with the wait that begins unless it is right.
    mutating func addAttempt(_ record: LockRecord, at moment: Moment) {
        add(.attempt, at: moment, attemptCount: record.attemptCount, wait: record.wait?.length)
    }

    /// Records findings that no crash explains, once as long as nothing else happens.
    mutating func addTampering(_ sentences: [String], at moment: Moment) {
        for sentence in sentences where !records.suffix(sentences.count).contains(where: { $0.detail == sentence }) {
            add(.tampering, at: moment, detail: sentence)
        }
    }

    /// Records how an attempt ended, and its consequences.
    mutating func end(_ attempt: LockRecord, _ outcome: AuditRecord.Outcome, status: LockStatus, at moment: Moment) {
        guard let index = records.lastIndex(where: { $0.event == .attempt }) else { return }
        records[index].outcome = outcome
        switch status {
        case .delayed: add(.delayed, at: moment, attemptCount: attempt.attemptCount, wait: attempt.wait?.length)
        case .exhausted: add(.exhausted, at: moment, attemptCount: attempt.attemptCount)
        case .ready, .unavailable: break
        }
    }
}

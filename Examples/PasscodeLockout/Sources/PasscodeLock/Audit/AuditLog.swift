#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The newest audit records of a lock, oldest first.
struct AuditLog: Sendable, Hashable {
    private(set) var records: [AuditRecord]

    /// How many are kept. A lock with the usual schedule writes some 60 between its first wrong guess and its last.
    static let limit = 100

    /// Of several copies the one that goes on longest.
    init(_ copies: [[AuditRecord]]) {
        records = copies.max { ($0.last?.number ?? 0) < ($1.last?.number ?? 0) } ?? []
    }

    mutating func add(
        _ event: AuditRecord.Event, at moment: Moment, attemptCount: Int? = nil, wait: Duration? = nil,
        detail: String? = nil
    ) {
        let number = (records.last?.number ?? 0) + 1
        records.append(
            AuditRecord(
                event, number: number, date: moment.date, attemptCount: attemptCount, wait: wait, detail: detail))
        records.removeFirst(max(0, records.count - Self.limit))
    }

    /// Notes a try, and what it has brought about.
    mutating func addAttempt(_ record: LockRecord, status: LockStatus, at moment: Moment) {
        add(.attempt, at: moment, attemptCount: record.attemptCount)
        switch status {
        case .delayed: add(.delayed, at: moment, attemptCount: record.attemptCount, wait: record.wait?.length)
        case .exhausted: add(.exhausted, at: moment, attemptCount: record.attemptCount)
        case .ready, .unavailable: break
        }
    }

    /// Notes what no crash explains, once as long as nothing else happens.
    mutating func addTampering(_ sentences: [String], at moment: Moment) {
        for sentence in sentences where !records.suffix(sentences.count).contains(where: { $0.detail == sentence }) {
            add(.tampering, at: moment, detail: sentence)
        }
    }

    /// Says how the newest attempt has ended.
    mutating func end(_ outcome: AuditRecord.Outcome) {
        guard let index = records.lastIndex(where: { $0.event == .attempt }) else { return }
        records[index].outcome = outcome
    }
}

import Settle

extension PasscodeLockout {
    /// The lock's newest 100 audit records, oldest first.
    public var auditRecords: [AuditRecord] {
        AuditLog(copies.map(\.intactAudit)).records
    }

    /// All audit records from now on, including those of other processes. An attempt's record comes when it begins and
    /// again with its outcome; a slow reader gets it only with its outcome.
    public nonisolated func newAuditRecords() -> AsyncStream<AuditRecord> {
        let copy = copies[0]
        let (stream, continuation) = AsyncStream.makeStream(of: AuditRecord.self)
        // Read now, not when the task first runs.
        let first = copy.intactAudit ?? []
        let task = Task {
            var known = Set(first)
            for await _ in copy.$audit {
                guard let records = copy.intactAudit else { continue }
                for record in records where !known.contains(record) { continuation.yield(record) }
                known = Set(records)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

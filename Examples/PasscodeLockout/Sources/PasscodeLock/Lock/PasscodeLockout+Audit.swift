import Settle

extension PasscodeLockout {
    /// What has happened to the lock, oldest first: the newest 100 records.
    public var auditRecords: [AuditRecord] {
        AuditLog(copies.map(\.audit)).records
    }

    /// Every audit record from now on, also those that other processes write. An attempt's comes when it begins and again with
    /// its outcome; to a reader who is too slow for that, only with its outcome.
    public nonisolated func newAuditRecords() -> AsyncStream<AuditRecord> {
        let audit = copies[0].$audit
        let (stream, continuation) = AsyncStream.makeStream(of: AuditRecord.self)
        // Now, not when the task first runs.
        let first = copies[0].audit
        let task = Task {
            var known = Set(first)
            for await records in audit {
                for record in records where !known.contains(record) { continuation.yield(record) }
                known = Set(records)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

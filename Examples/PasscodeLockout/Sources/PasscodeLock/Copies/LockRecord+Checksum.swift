extension LockRecord {
    /// The version of the stored form. Another version is not understood, so it is not trusted either.
    static let version = 1

    /// SHA-256 of everything that is shown or decides, as 64 hexadecimal digits.
    ///
    /// It detects damage and careless edits. Anyone who can write the file can also compute it: it is no signature.
    var checksum: String {
        var sum = Checksum(of: "Settle passcode lock")
        sum.add(Self.version)
        sum.add(generation)
        sum.add(attemptCount)
        sum.add(verifier.algorithm)
        for number in [verifier.cost.rounds, verifier.cost.blockSize, verifier.cost.parallelism] { sum.add(number) }
        for data in [verifier.salt, verifier.key] { sum.add(data) }
        sum.add(wait) { sum, wait in
            for duration in [wait.length, wait.start] { sum.add(duration) }
            sum.add(wait.bootID)
        }
        sum.add(nextCheckDate) { $0.add($1) }
        for name in [lock, id] { sum.add(name) }
        sum.add(parent) { $0.add($1) }
        return sum.text
    }
}

extension AuditLog {
    /// SHA-256 of the records, bound to their lock.
    static func checksum(of records: [AuditRecord], for lock: String) -> String {
        var sum = Checksum(of: "Settle passcode audit")
        sum.add(lock)
        for record in records {
            sum.add(record.event.rawValue)
            sum.add(record.number)
            sum.add(record.date)
            sum.add(record.attemptCount) { $0.add($1) }
            sum.add(record.outcome) { $0.add($1.rawValue) }
            sum.add(record.wait) { $0.add($1) }
            sum.add(record.detail) { $0.add($1) }
        }
        return sum.text
    }
}

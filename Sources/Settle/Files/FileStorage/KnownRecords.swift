/// Records that follow one another, except where there is a gap.
struct KnownRecords {
    var records: [StoredRecord] = []
    /// Tokens that are known although nothing before them is.
    var beginnings: [ChangeToken] = []

    /// Adds the records of a journal.
    ///
    /// - Parameter beginning: The token before its first record.
    mutating func add(_ part: ArraySlice<StoredRecord>, behind beginning: ChangeToken) {
        beginnings.append(beginning)
        let last = records.last?.token.position ?? 0
        records += part.drop { $0.token.position <= last }
    }

    /// Returns the records after a token; `nil` if it is not known what followed it.
    func records(after token: ChangeToken, limit: Int) -> [StoredRecord]? {
        guard var index = records.firstIndex(where: { $0.token.position > token.position }) else { return nil }
        var result: [StoredRecord] = []
        let before = index > 0 ? records[index - 1].token : nil
        if before != token, !beginnings.contains(token) {
            guard let rest = records[index].rest(after: token) else { return nil }
            result.append(rest)
            index += 1
        } else if records[index].start != token.position {
            return nil
        }
        for record in records[index...] {
            // Up to a gap, which the next call finds.
            guard result.count < limit, result.last.map({ $0.token.position == record.start }) ?? true else {
                break
            }
            result.append(record)
        }
        return result
    }
}

extension [StoredRecord] {
    /// Returns the last records before a position, and the one that it may be within.
    func part(before position: UInt64, limit: Int) -> ArraySlice<StoredRecord> {
        let behind = Swift.min(count, firstIndexInOrder { $0.token.position >= position } + 1)
        return self[..<behind].suffix(Swift.min(limit, behind) + 1)
    }

    /// Returns the first records after a position, and the one before them.
    func part(after position: UInt64, limit: Int) -> ArraySlice<StoredRecord> {
        let next = firstIndexInOrder { $0.token.position > position }
        return self[Swift.max(0, next - 1)...].prefix(Swift.min(limit, count) + 2)
    }

    /// Returns whether they have another transaction at a token than the token's own.
    func contradict(_ token: ChangeToken) -> Bool {
        contains { record in
            record.start < token.position && token.position <= record.token.position
                && token.checksum != record.token.checksum
        }
    }
}

extension StoredRecord {
    /// The position before the first of its transactions.
    var start: UInt64 { token.position - count }
}

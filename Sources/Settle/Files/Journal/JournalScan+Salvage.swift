extension JournalScan {
    /// Reads every readable record, for loading.
    ///
    /// An invalid record usually ends the log: it is the tail of an append that a crash cut off. But if a later valid
    /// record was written when the invalid one was on stable storage already, the invalid one has rotted, and all valid
    /// records after it still count. ``damage`` lists the rotten ones.
    ///
    /// - Parameters:
    ///   - bytes: All bytes of the journal from `offset` on.
    ///   - offset: The offset of the first byte: the position's offset.
    ///   - position: The position where the first record is expected.
    package static func salvage(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, from position: JournalPosition
    ) -> JournalScan {
        let reader = JournalRecordReader(bytes: bytes, base: offset, generation: position.generation)
        var result = reader.scan(from: position)
        var search = JournalSearch(reader)
        while result.tail == .torn, let runs = search.provenRuns(behind: result.end) {
            for run in runs {
                result.damage += reader.damage(from: result.end.offset, to: run.start)
                result.records += run.scan.records
                result.end = run.scan.end
                result.tail = run.scan.tail
                if result.tail == .newer { break }
            }
        }
        result.needsMore = nil
        return result
    }
}

extension JournalScan {
    /// Reads as above, from the record with all values on.
    ///
    /// - Parameter bytes: All bytes of the journal from that record on.
    package static func salvage(fromBase bytes: UnsafeRawBufferPointer, _ header: JournalHeader) -> JournalScan {
        var start = JournalPosition.start(of: header.generation)
        let base = Int(clamping: header.base)
        if base != start.offset {
            // The record before it is history.
            let reader = JournalRecordReader(bytes: bytes, base: base, generation: header.generation)
            start.offset = base
            start.chain = reader.header(at: base)?.chain ?? start.chain
            start.chainOffset = base + JournalRecordHeader.chainOffset
        }
        return salvage(bytes, at: base, from: start)
    }
}

/// Searches for records after an invalid one.
private struct JournalSearch {
    struct Run {
        let start: Int
        let scan: JournalScan
    }

    private let reader: JournalRecordReader
    /// The number of bytes that may still be checksummed. Without this limit, bytes that look like long records
    /// everywhere would cost a checksum of the rest at every eighth byte.
    private var remainingWork: Int
    /// The same for records of an unknown kind. Many bytes look like one, and must not use up the work for the others.
    private var remainingGuesses: Int

    init(_ reader: JournalRecordReader) {
        self.reader = reader
        remainingWork = 4 * reader.bytes.count
        remainingGuesses = reader.bytes.count
    }

    /// Returns all runs of records after an invalid record, up to the first run that proves that the invalid one was on
    /// stable storage.
    ///
    /// - Parameter end: The position where the invalid record begins.
    mutating func provenRuns(behind end: JournalPosition) -> [Run]? {
        let bad = end.offset
        // An intact record that merely does not continue the log is a leftover: the log ends before it.
        if let header = reader.header(at: bad), header.chain != end.chain, reader.isIntact(header, at: bad) {
            return nil
        }
        var runs: [Run] = []
        var offset = bad + 8
        while let (start, header) = nextIntact(from: offset) {
            let scan = reader.scan(
                from: JournalPosition(
                    generation: reader.generation, offset: start, chain: header.chain,
                    chainOffset: start + JournalRecordHeader.chainOffset))
            offset = max(scan.end.offset, start + 8)
            // Ignore a `durableEnd` beyond the record itself: at the time of writing, later bytes can't have been
            // stable.
            let isProven =
                header.durableEnd > bad && header.durableEnd <= start
                || scan.records.contains { $0.record.durableEnd > bad && $0.record.durableEnd <= $0.offset }
            guard !scan.records.isEmpty || scan.tail == .newer && isProven else { continue }
            runs.append(Run(start: start, scan: scan))
            if isProven { return runs }
        }
        return nil
    }

    private mutating func nextIntact(from start: Int) -> (offset: Int, header: JournalRecordHeader)? {
        var offset = start
        while reader.end - offset >= JournalRecordHeader.size, remainingWork > 0 {
            if let header = reader.header(at: offset), header.recordSize <= reader.end - offset,
                spendWork(on: header, at: offset), reader.isIntact(header, at: offset)
            {
                return (offset, header)
            }
            offset += 8
        }
        return nil
    }

    /// Returns whether the bytes are worth a checksum.
    private mutating func spendWork(on header: JournalRecordHeader, at offset: Int) -> Bool {
        if header.kind != nil {
            remainingWork -= header.recordSize
            return true
        }
        guard header.durableEnd <= offset, header.recordSize <= remainingGuesses else { return false }
        remainingGuesses -= header.recordSize
        return true
    }
}

extension JournalRecordReader {
    /// Describes the loss between the end of a valid record and the start of the next one.
    fileprivate func damage(from start: Int, to end: Int) -> [JournalDamage] {
        var damage: [JournalDamage] = []
        var offset = start
        while offset < end {
            let size = sizeOfDamagedRecord(at: offset, before: end)
            guard let keys = provenKeys(ofRecordAt: offset, before: size.map { offset + $0 } ?? end) else {
                damage.append(JournalDamage(offset: offset, keys: nil))
                break
            }
            damage.append(JournalDamage(offset: offset, keys: keys))
            guard let size else {
                // The record's keys are known, but other records may be lost with it.
                damage.append(JournalDamage(offset: offset, keys: nil))
                break
            }
            offset += size
        }
        return damage
    }

    /// Returns `nil` if the record's end can't be determined.
    private func sizeOfDamagedRecord(at offset: Int, before end: Int) -> Int? {
        guard end - offset >= JournalRecordHeader.size else { return nil }
        let bytes = slice(offset, end)
        // If the next valid record continues this one, no other record is between them.
        let next = header(at: end)?.chain
        if bytes.number(UInt64.self, at: JournalRecordHeader.checksumOffset) == next { return end - offset }
        let size = JournalRecordHeader.recordSize(ofPayload: Int(bytes.number(UInt32.self, at: 0)))
        return size <= end - offset ? size : nil
    }
}

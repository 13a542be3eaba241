/// The records found in a journal's bytes.
package struct JournalScan: Sendable {
    package enum Tail: Sendable, Hashable {
        /// Only zeros follow the last record, or nothing.
        case clean
        /// Bytes that are not a valid record follow, as after a crash during an append.
        case torn
        /// An intact record follows that this version does not understand: a newer version has written it. Neither it
        /// nor what follows may be cut off or replaced.
        case newer
    }

    package var records: [(offset: Int, record: JournalRecord)] = []
    /// The position of the next record.
    package var end: JournalPosition
    /// If the last record extends beyond the bytes: how many bytes from the same offset are needed to read it. If the
    /// journal has no more bytes, the record is torn.
    package var needsMore: Int?
    package var tail = Tail.clean
    /// The records lost in the middle. Only ``salvage(_:at:from:)`` determines them.
    package var damage: [JournalDamage] = []

    /// Reads records up to the first one that is invalid or does not continue the log.
    ///
    /// - Parameters:
    ///   - bytes: The journal's bytes from `offset` on, as many as are available.
    ///   - offset: The offset of the first byte: the position's offset.
    ///   - position: The position where the first record is expected.
    package static func scan(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, from position: JournalPosition
    ) -> JournalScan {
        JournalRecordReader(bytes: bytes, base: offset, generation: position.generation).scan(from: position)
    }
}

extension JournalRecordReader {
    func scan(from position: JournalPosition) -> JournalScan {
        var scan = JournalScan(end: position)
        while let header = header(at: scan.end.offset), header.chain == scan.end.chain {
            let offset = scan.end.offset
            guard header.recordSize <= end - offset else {
                scan.needsMore = offset + header.recordSize - base
                break
            }
            guard isIntact(header, at: offset) else { break }
            guard let record = try? record(header, at: offset) else {
                scan.tail = .newer
                return scan
            }
            scan.records.append((offset, record))
            scan.end.offset += header.recordSize
            scan.end.chain = header.checksum
            scan.end.chainOffset = offset + JournalRecordHeader.checksumOffset
        }
        let rest = slice(scan.end.offset, end)
        if !rest.isZero(from: 0) {
            scan.tail = .torn
            if rest.count < JournalRecordHeader.size {
                scan.needsMore = scan.end.offset + JournalRecordHeader.size - base
            }
        }
        return scan
    }
}

/// A position in a journal at which a record may begin.
package struct JournalPosition: Sendable, Equatable {
    package var generation: UInt64
    /// The offset from the start of the file, a multiple of 8.
    package var offset: Int
    /// The checksum of the previous record; for the first record, the generation.
    package var chain: UInt64
    /// The offset of the chain in the file.
    package var chainOffset: Int

    package init(generation: UInt64, offset: Int, chain: UInt64, chainOffset: Int) {
        self.generation = generation
        self.offset = offset
        self.chain = chain
        self.chainOffset = chainOffset
    }

    package static func start(of generation: UInt64) -> JournalPosition {
        JournalPosition(
            generation: generation, offset: JournalHeader.size, chain: generation,
            chainOffset: JournalHeader.generationOffset)
    }
}

/// A part of a journal that was on stable storage and can't be read any more.
package struct JournalDamage: Sendable, Equatable {
    package var offset: Int
    /// The keys whose values were lost; `nil` if unknown.
    package var keys: [SettingKey]?

    package init(offset: Int, keys: [SettingKey]?) {
        self.offset = offset
        self.keys = keys
    }
}

/// Where a journal ends, found without reading the values in it.
enum JournalEnd {
    /// The version of the file that has everything that the journal has.
    ///
    /// - Parameter journal: All of its bytes.
    /// - Returns: `nil` if the last checkpoint is not the end of the matter: something came after it, or it was not
    ///   confirmed, or not all of the bytes are records. Then the journal has to be replayed.
    static func version(in journal: UnsafeRawBufferPointer) -> FileVersion? {
        guard let header = try? JournalHeader.decode(journal) else { return nil }
        let start = JournalPosition.start(of: header.generation)
        let reader = JournalRecordReader(
            bytes: UnsafeRawBufferPointer(rebasing: journal[start.offset...]), base: start.offset,
            generation: header.generation)
        var (offset, chain) = (start.offset, start.chain)
        var last: (version: FileVersion, coveredEnd: Int)?
        var newestBatch = 0
        while let header = reader.header(at: offset), header.chain == chain {
            guard reader.isIntact(header, at: offset) else { return nil }
            switch header.kind {
            case .values, .edited: newestBatch = offset
            case .checkpoint: last = nil
            case .checkpointed:
                last = reader.checkpoint(header, at: offset)
                guard last != nil else { return nil }
            case .kept, .history, .past: break
            }
            offset += header.recordSize
            chain = header.checksum
        }
        guard let last, newestBatch < last.coveredEnd, reader.slice(offset, reader.end).isZero(from: 0) else {
            return nil
        }
        return last.version
    }
}

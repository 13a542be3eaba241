/// Finds the end of a journal without reading the values in it.
enum JournalEnd {
    /// Returns the version of the file that has everything that the journal has.
    ///
    /// - Parameter journal: All of its bytes.
    /// - Returns: `nil` if the journal does not end with its last checkpoint: something came after that, or it was not
    ///   confirmed, or not all of the bytes are records. Then the journal has to be replayed.
    static func version(in journal: UnsafeRawBufferPointer) -> FileVersion? {
        guard let header = try? JournalHeader.decode(journal) else { return nil }
        let start = JournalPosition.start(of: header.generation)
        let reader = JournalRecordReader(
            bytes: UnsafeRawBufferPointer(rebasing: journal[start.offset...]), base: start.offset,
            generation: header.generation)
        var (offset, chain) = (Int(clamping: header.base), UInt64?.none)
        // The version that the file is about to become, or has become, with all values.
        var (begun, mirror): (FileVersion?, FileVersion?) = (nil, nil)
        while offset < reader.end, let header = reader.header(at: offset), header.chain == chain ?? header.chain {
            guard reader.isIntact(header, at: offset) else { return nil }
            switch header.kind {
            case .base: mirror = reader.mirror(header, at: offset)
            case .mirroring: (begun, mirror) = (reader.mirror(header, at: offset), nil)
            case .mirrored: mirror = begun.flatMap { reader.mirror(header, at: offset) == $0 ? $0 : nil }
            case .values, .edited, .editedState, .united: (begun, mirror) = (nil, nil)
            case .kept, .history, .state, .past: break
            case nil: return nil
            }
            offset += header.recordSize
            chain = header.checksum
        }
        guard let mirror, reader.slice(offset, reader.end).isZero(from: 0) else { return nil }
        return mirror
    }
}

/// Reading the journal, and what others append to it.
extension JournalFile {
    /// If a record is longer than this, its checksum and the bytes after it are read separately.
    private static let lookLimit = 1 << 10
    /// A journal up to this size is read by one call.
    private static let wholeLimit = 64 << 10

    /// Returns all bytes of the file.
    mutating func readAll(limit: Int) throws(FileError) -> [UInt8] { try read(at: 0, count: sizeToRead(limit: limit)) }

    /// Returns the number of bytes to read.
    private mutating func sizeToRead(limit: Int) throws(FileError) -> Int {
        guard let file else { return 0 }
        let status = try operations.status(of: file, at: path)
        guard status.kind == .file else { throw FileError(action: "read", path: path.text, cause: .invalidArgument) }
        guard status.size <= limit else { throw FileError(action: "read", path: path.text, cause: .fileTooLarge) }
        size = Int(status.size)
        return size
    }

    /// Reads everything from the base on, and moves to the position after the last record. History records are skipped.
    mutating func scan(limit: Int) throws(FileError) -> JournalReading {
        let size = try sizeToRead(limit: limit)
        // Most journals are read as a whole. A longer one may have a long history between its header and its base.
        let bytes = try read(at: 0, count: size <= Self.wholeLimit ? size : JournalHeader.size)
        let header: JournalHeader
        do throws(JournalError) {
            header = try bytes.withUnsafeBufferPointer { (bytes) throws(JournalError) in
                try JournalHeader.decode(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            let reading = JournalReading(error)
            if reading.newerVersion == nil { take(nil, .start(of: 0), nil, durableEnd: 0, beginningEnd: 0) }
            return reading
        }
        let base = min(Int(clamping: header.base), size)
        let rest =
            bytes.count < size
            ? ArraySlice(try read(at: base, count: size - base)) : bytes[min(base, bytes.count)...]
        let scan = rest.withUnsafeBytes { JournalScan.salvage(fromBase: $0, header) }
        let reading = JournalReading(scan)
        guard reading.newerVersion == nil else { return reading }
        mayHaveTail = reading.isTorn
        take(
            header, scan.end, scan.records.token(after: header.beginning), durableEnd: reading.durableEnd,
            beginningEnd: scan.records.dropFirst().first?.offset ?? scan.end.offset)
        return reading
    }

    /// Moves to a position in the file that was found by reading it.
    ///
    /// - Parameter token: The token there. `nil` leaves the known one.
    mutating func take(
        _ header: JournalHeader?, _ end: JournalPosition, _ token: ChangeToken?, durableEnd: Int, beginningEnd: Int
    ) {
        self.beginningEnd = beginningEnd
        if let token { self.token = token }
        // A file without a header may be one that another process is just beginning: it is read again once the lock is
        // held.
        isKnown = header != nil
        self.header = header
        if let header {
            if lineages.last?.start == header.lineage.start { lineages.removeLast() }
            lineages.append(header.lineage)
        }
        self.end = end
        self.durableEnd = durableEnd
    }

    /// Counts the file as unread, and restores the earlier knowledge of it.
    mutating func goBack(to known: JournalFile) {
        take(known.header, known.end, known.token, durableEnd: known.durableEnd, beginningEnd: known.beginningEnd)
        forget()
    }

    /// Counts the file as unread.
    private mutating func forget() {
        isKnown = false
    }

    /// The records that others have appended since the last call.
    struct News {
        var records: [(offset: Int, record: JournalRecord)] = []
        /// Whether the file had no more.
        var isAll = false
    }

    /// Reads the records that others have appended since the last call. If that fails, the next call reads all of them.
    ///
    /// A file that has become another one in place, such as by copying a backup over it, is no longer known. Nor is one
    /// with a record of a newer version: reading all of it reports that.
    ///
    /// - Parameter limit: The maximum number of bytes to read; the next call reads the rest.
    mutating func readNew(atMost limit: Int = .max) throws(FileError) -> News {
        guard file != nil else { return News() }
        switch try rest() {
        // Nearly always, and this is checked before each append.
        case .nothing: return News(isAll: true)
        case .otherFile:
            forget()
            return News()
        case .records: break
        }
        var news = News()
        var place = end
        var count = 512
        while true {
            let start = place.offset
            let rest = limit - (start - end.offset)
            let size = min(count, rest)
            let bytes = try read(at: start, count: size)
            let scan = bytes.withUnsafeBytes { JournalScan.scan($0, at: start, from: place) }
            if let wanted = scan.needsMore, wanted > size, bytes.count == size {
                if wanted > rest { break }
                count = max(wanted, count * 8)
                continue
            }
            if scan.tail == .newer {
                forget()
                return News()
            }
            guard !scan.records.isEmpty else { break }
            news.records += scan.records
            place = scan.end
            let isEnd = bytes.count < size
            // Otherwise more may follow the bytes that were read, or is just being written.
            news.isAll = scan.tail == .clean && (isEnd || place.offset < start + size)
            if isEnd || news.isAll || place.offset - end.offset >= limit { break }
        }
        end = place
        mayHaveTail = !news.isAll && limit == .max
        token = news.records.token(after: token)
        size = max(size, end.offset)
        durableEnd = news.records.reduce(durableEnd) { max($0, $1.record.durableEnd) }
        return news
    }

    /// Returns whether the file has bytes that have not been read.
    func hasNews() throws(FileError) -> Bool {
        guard file != nil else { return false }
        return try rest() != .nothing
    }

    /// Returns whether the file still has the same record at a position of its generation.
    ///
    /// - Parameter isDamaged: Whether that can't be determined.
    func continues(_ place: JournalPosition, isDamaged: Bool = false) throws(FileError) -> Bool {
        guard place.generation == end.generation, place.generation != 0, place.offset <= end.offset else {
            return false
        }
        if isDamaged { return true }
        return chain(in: try read(at: place.chainOffset, count: MemoryLayout<UInt64>.size)) == place.chain
    }

    private func chain(in bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { $0.count < 8 ? 0 : $0.number(UInt64.self, at: 0) }
    }

    /// The part of the file after the bytes that were read.
    private enum Rest {
        case nothing
        case records
        /// The bytes that were read are not there any more.
        case otherFile
    }

    /// Checks the last checksum and the next length: the checksum depends on everything that was read, and the length
    /// of a record is never zero.
    private func rest() throws(FileError) -> Rest {
        let distance = end.offset - end.chainOffset
        let isShort = distance <= Self.lookLimit
        let lengthSize = MemoryLayout<UInt32>.size
        let bytes = try read(at: end.chainOffset, count: isShort ? distance + lengthSize : MemoryLayout<UInt64>.size)
        // With the last byte that was read, which is missing in a truncated file.
        let known = min(1, distance)
        let tail =
            isShort
            ? bytes.dropFirst(distance - known)
            : ArraySlice(try read(at: end.offset - known, count: known + lengthSize))
        // Without a header there is nothing to compare.
        guard chain(in: bytes) == end.chain && tail.count >= known || end.generation == 0 else { return .otherFile }
        return tail.dropFirst(known).allSatisfy { $0 == 0 } ? .nothing : .records
    }

    func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        guard let file else { return [] }
        return try operations.read(file, at: path, offset: offset, count: count)
    }
}

extension [(offset: Int, record: JournalRecord)] {
    /// Returns the token of a history after these records.
    ///
    /// - Parameter token: The token before them.
    func token(after token: ChangeToken?) -> ChangeToken? {
        guard let token, let last = last(where: { $0.record.content.transactions != nil }) else { return token }
        return last.record.content.transactions?.token(in: token.history)
    }
}

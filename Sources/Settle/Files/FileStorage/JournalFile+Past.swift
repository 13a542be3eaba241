/// The history in the journal.
extension JournalFile {
    /// Returns all values as they were at a token; `nil` if the journal does not go back so far.
    ///
    /// - Parameters:
    ///   - place: The token where another journal was begun.
    ///   - base: The values with which that journal was begun. If the history here has diverged before the token, the
    ///     result is limited to those of them that this journal has had too: the others were written on the other
    ///     branch. At their keys the result has the newest values here.
    ///   - limit: The maximum size of the journal.
    func tree(at place: ChangeToken, or base: SettingTree?, limit: Int) -> SettingTree? {
        var reader = self
        guard let log = try? reader.scan(limit: limit), log.newerVersion == nil, let header = reader.header else {
            return nil
        }
        var (replay, isThere) = (JournalReplay(), header.beginning == place)
        for (offset, record) in log.records {
            if isThere, record.batch != nil { break }
            replay.add(record.content, at: offset)
            isThere = isThere || record.content.transactions?.token(in: place.history) == place
        }
        if isThere { return replay.hasBase ? replay.tree : nil }
        guard let base, header.beginning.position <= place.position else { return nil }
        return log.values(of: base, over: replay.tree)
    }

    private static let chunkSize = 256 << 10

    /// Whether the journal has any history records.
    var hasPast: Bool { header.map { $0.base > UInt64(JournalHeader.size) } ?? false }

    /// Finds the history records. Records after a damaged one count, because all of them were written at once. Throws
    /// if one was written by a newer version: a journal that replaces this one would lack it.
    ///
    /// - Parameter known: The index found before. It stays valid for the same journal.
    func pastIndex(knowing known: JournalPastIndex?) throws(FileError) -> JournalPastIndex? {
        guard let header else { return nil }
        if let known, known.generation == header.generation { return known }
        var index = JournalPastIndex(header)
        let behind = Int(clamping: header.base)
        var place = JournalPosition.start(of: header.generation)
        var count = Self.chunkSize
        while place.offset < behind {
            let bytes = try read(at: place.offset, count: min(count, behind - place.offset))
            let isRest = place.offset + bytes.count >= behind || bytes.count < count
            let scan = bytes.withUnsafeBytes { bytes in
                isRest
                    ? JournalScan.salvage(bytes, at: place.offset, from: place)
                    : JournalScan.scan(bytes, at: place.offset, from: place)
            }
            if scan.tail == .newer {
                let rule = "a newer program wrote its record at byte \(scan.end.offset)"
                throw FileError(
                    action: "read the history in", path: path.text, cause: SystemError(.notSupported, rule: rule))
            }
            if !isRest, scan.records.isEmpty {
                // A long record, or a damaged one: reading the rest decides.
                count = scan.needsMore.map { max($0, 2 * count) } ?? behind - place.offset
                continue
            }
            index.add(scan)
            place = scan.end
            if isRest { break }
        }
        return index
    }

    /// Reads some history records. Records that have been damaged since they were found are left out.
    func past(_ range: Range<Int>, in index: JournalPastIndex) throws(FileError) -> [JournalTransactions] {
        let place = index.bytes(of: range)
        let bytes = try read(at: place.lowerBound, count: place.count)
        return bytes.withUnsafeBytes { bytes in
            let reader = JournalRecordReader(bytes: bytes, base: place.lowerBound, generation: index.generation)
            return index.offsets(of: range).compactMap { offset in
                guard offset < reader.end, let header = reader.header(at: offset),
                    reader.isIntact(header, at: offset),
                    case .past(let transactions)? = try? reader.record(header, at: offset).content
                else { return nil }
                return transactions
            }
        }
    }
}

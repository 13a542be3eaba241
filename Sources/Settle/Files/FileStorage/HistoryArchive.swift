/// What is kept of a file's past, in a file of its own: the transactions of journals that have been replaced.
///
/// It has the header and the records of a journal: first the policy, then one record for each that stood in a journal,
/// with its transactions and its checksum, but without its values. It is written under the journal's lock only:
///
///     what failed              what is there then
///     ──────────────────────   ───────────────────────────────────────────────────
///     an append                the records before it; a torn one is overwritten by the next
///     a sync                   perhaps the record; the journal, which goes on, has it too
///     a replacement            the file before, or the new one
///
/// A record that stands in both is told once, by its position. Damage costs records: positions that are missing then.
/// Each record says what was on stable storage when it was written, so that those behind a damaged one still count.
struct HistoryArchive: Sendable {
    let operations: FileOperations
    let names: FileNames

    private static let sizeLimit = 256 << 20
    private static let chunkSize = 256 << 10

    /// The file, as it is open for reading. What it says stays the same, whatever other processes do meanwhile.
    struct Reader {
        fileprivate let operations: FileOperations
        fileprivate let path: FilePath
        fileprivate let file: FileDescriptor
        fileprivate(set) var index: HistoryArchiveIndex
    }

    // MARK: Reading

    /// Does something with what the file has by now.
    ///
    /// - Parameters:
    ///   - known: What was known of it before. Only what is new is read, if it is still the same file.
    ///   - body: Gets `nil` if there is no file, or none that can be read.
    @inline(never) func read<Result>(
        knowing known: inout HistoryArchiveIndex?, _ body: (Reader?) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let file: FileDescriptor
        do throws(FileError) {
            file = try operations.open(names.history, .read)
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw error }
            known = nil
            return try body(nil)
        }
        // Nothing was written through this descriptor, so closing it has nothing to report.
        defer { try? operations.close(file, at: names.history) }
        known = try bringUpToDate(known, file)
        guard let known else { return try body(nil) }
        return try body(Reader(operations: operations, path: names.history, file: file, index: known))
    }

    /// What it says is kept, without what it has of that; `nil` if that can't be told.
    func history() throws(FileError) -> JournalHistory? {
        let file: FileDescriptor
        do throws(FileError) {
            file = try operations.open(names.history, .read)
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw error }
            return nil
        }
        defer { try? operations.close(file, at: names.history) }
        guard try operations.status(of: file, at: names.history).kind == .file else { return nil }
        var count = 1 << 10
        while true {
            let bytes = try operations.read(file, at: names.history, offset: 0, count: count)
            let scan = bytes.withUnsafeBytes { bytes -> JournalScan? in
                guard let header = try? JournalHeader.decode(bytes) else { return nil }
                let start = JournalPosition.start(of: header.generation)
                let rest = UnsafeRawBufferPointer(rebasing: bytes[start.offset...])
                return JournalScan.scan(rest, at: start.offset, from: start)
            }
            if case .history(let history)? = scan?.records.first?.record.content { return history }
            guard let wanted = scan?.needsMore, bytes.count == count, count < Self.sizeLimit else { return nil }
            count = JournalHeader.size + wanted
        }
    }

    /// Why the file can't be used, and will not be the next time either; `nil` if it can, or if there is none.
    var obstacle: FileError? {
        var unknown: HistoryArchiveIndex?
        do throws(FileError) {
            try read(knowing: &unknown) { _ in }
        } catch {
            return Self.lastingObstacles.contains(error.cause) ? error : nil
        }
        guard (try? operations.status(at: names.history))?.kind == .folder else { return nil }
        return FileError(action: "read", path: names.history.text, cause: .isFolder)
    }

    private static let lastingObstacles: Set<SystemError> = [
        .inputOutput, .invalidArgument, .isFolder, .notPermitted, .permissionDenied, .tooManySymbolicLinks,
    ]

    private func bringUpToDate(_ known: HistoryArchiveIndex?, _ file: FileDescriptor) throws(FileError)
        -> HistoryArchiveIndex?
    {
        let status = try operations.status(of: file, at: names.history)
        guard status.kind == .file, status.size <= Self.sizeLimit else { return nil }
        let size = Int(status.size)
        func bytes(_ offset: Int, _ count: Int) throws(FileError) -> [UInt8] {
            try operations.read(file, at: names.history, offset: offset, count: min(count, size - offset))
        }
        let header = try bytes(0, JournalHeader.size).withUnsafeBytes { try? JournalHeader.decode($0) }
        guard let header else { return nil }
        var index = HistoryArchiveIndex(header)
        if let known, try isContinued(known.end, header, bytes) { index = known }
        var count = Self.chunkSize
        while index.end.offset < size {
            let offset = index.end.offset
            let chunk = try bytes(offset, count)
            guard chunk.count == min(count, size - offset) else { break }
            let scan = chunk.withUnsafeBytes { JournalScan.scan($0, at: offset, from: index.end) }
            index.add(scan)
            let read = scan.end.offset - offset
            if offset + chunk.count == size, scan.tail == .clean { break }
            if let wanted = scan.needsMore, offset + chunk.count < size {
                count = max(Self.chunkSize, wanted - read)
            } else if scan.tail == .clean, read == chunk.count {
                count = Self.chunkSize
            } else {
                // The rest tells whether what is torn has been stable.
                let rest = try bytes(index.end.offset, size)
                index.add(rest.withUnsafeBytes { JournalScan.salvage($0, at: index.end.offset, from: index.end) })
                break
            }
        }
        return index
    }

    /// Whether everything up to a place stands in the file as it did.
    private func isContinued(
        _ end: JournalPosition, _ header: JournalHeader, _ bytes: (Int, Int) throws(FileError) -> [UInt8]
    ) throws(FileError) -> Bool {
        guard end.generation == header.generation else { return false }
        let chain = try bytes(end.chainOffset, MemoryLayout<UInt64>.size)
        return chain.count == 8 && chain.withUnsafeBytes { $0.number(UInt64.self, at: 0) } == end.chain
    }

    // MARK: Writing, under the journal's lock

    /// Adds records behind those that are there, on stable storage.
    ///
    /// - Parameter end: Where those end.
    func append(_ new: [JournalTransactions], at end: JournalPosition) throws(FileError) {
        var bytes: [UInt8] = []
        var place = end
        for transactions in new {
            // What is there has been synced, and these have not.
            let (encoded, next) = JournalRecord(.past(transactions), durableEnd: end.offset).encoded(at: place)
            bytes += encoded
            place = next
        }
        let file = try operations.open(names.history, .update)
        defer { try? operations.close(file, at: names.history) }
        // What a torn record has left must not stand behind the new ones.
        try operations.truncate(file, at: names.history, to: end.offset)
        try operations.write(bytes, to: file, at: names.history, offset: end.offset)
        try operations.synchronize(file, at: names.history)
    }

    /// Puts a new file in its place, on stable storage.
    func replace(
        with records: [JournalTransactions], after beginning: ChangeToken, _ history: JournalHistory,
        for owner: FileStatus.Owner?
    ) throws(FileError) {
        let header = JournalHeader(generation: .random(in: 1 ... .max), beginning: beginning)
        var bytes = header.encoded
        var place = JournalPosition.start(of: header.generation)
        for content in [.history(history)] + records.map(JournalRecord.Content.past) {
            // It has its name only once all of it has been synced.
            let (encoded, next) = JournalRecord(content, durableEnd: place.offset).encoded(at: place)
            bytes += encoded
            place = next
        }
        var replacement = FileReplacement(operations, names: names, previous: .drop, owner: owner)
        _ = try replacement.run(bytes, at: names.history)
    }

    /// Removes it for good.
    func remove() throws(FileError) {
        do {
            try operations.remove(names.history)
        } catch {
            // A folder of its name is no past.
            let isFolder = (try? operations.status(at: names.history))?.kind == .folder
            guard error.cause == .notFound || error.cause == .notFolder || isFolder else { throw error }
            return
        }
        try operations.synchronizeFolder(names.folder)
    }
}

extension HistoryArchive.Reader {
    /// Reads some records, or all. Those that have been damaged since they were found are left out.
    func records(_ range: Range<Int>? = nil) throws(FileError) -> [JournalTransactions] {
        let range = range ?? 0..<index.count
        let place = index.bytes(of: range)
        let bytes = try operations.read(file, at: path, offset: place.lowerBound, count: place.count)
        return bytes.withUnsafeBytes { bytes in
            let reader = JournalRecordReader(bytes: bytes, base: place.lowerBound, generation: index.end.generation)
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

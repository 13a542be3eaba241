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
struct PastFile: Sendable {
    let operations: FileOperations
    let names: FileNames

    /// What was found in it.
    struct Contents: Sendable {
        var header: JournalHeader
        var history: JournalHistory?
        var records: [JournalTransactions] = []
        /// The bytes of each record.
        var sizes: [Int] = []
        var end: JournalPosition

        /// The place behind the last record.
        var token: ChangeToken? {
            guard let beginning = header.beginning else { return nil }
            return records.last?.token(in: beginning.history) ?? beginning
        }

        /// Whether it exceeds its bounds so far that it is to be written anew.
        func exceeds(_ policy: HistoryPolicy, at time: Double) -> Bool {
            let count = records.reduce(0) { $0 + $1.transactionCount }
            let oldest = records.first?.time ?? time
            return count > policy.transactions + policy.transactions / 2
                || sizes.reduce(0, +) > policy.bytes + policy.bytes / 2
                || time - oldest > Double(policy.age.seconds) * 1.5
        }

        /// Leaves out the oldest records, until the rest is within the bounds.
        mutating func trim(to policy: HistoryPolicy, at time: Double) {
            var (count, size) = (0, 0)
            var first = records.endIndex
            while first > 0 {
                let record = records[first - 1]
                count += record.transactionCount
                size += sizes[first - 1]
                guard count <= policy.transactions, size <= policy.bytes,
                    time - record.time <= Double(policy.age.seconds)
                else { break }
                first -= 1
            }
            guard first > 0 else { return }
            if let beginning = header.beginning { header.beginning = records[first - 1].token(in: beginning.history) }
            records.removeFirst(first)
            sizes.removeFirst(first)
        }
    }

    private static let sizeLimit = 256 << 20

    /// Reads all of it.
    ///
    /// - Returns: `nil` if there is none, or none that can be read.
    func read() throws(FileError) -> Contents? {
        let bytes: [UInt8]
        do throws(FileError) {
            let file = try operations.open(names.history, .read)
            defer { try? operations.close(file, at: names.history) }
            let status = try operations.status(of: file, at: names.history)
            guard status.kind == .file, status.size <= Self.sizeLimit else { return nil }
            bytes = try operations.readAll(
                file, at: names.history, expecting: Int(status.size), limit: Self.sizeLimit)
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw error }
            return nil
        }
        return bytes.withUnsafeBytes { bytes in
            guard let header = try? JournalHeader.decode(bytes), header.beginning != nil else { return nil }
            let start = JournalPosition.start(of: header.generation)
            let scan = JournalScan.salvage(
                UnsafeRawBufferPointer(rebasing: bytes[start.offset...]), at: start.offset, from: start)
            return Contents(header, scan)
        }
    }

    /// Adds records behind those that are there, on stable storage.
    ///
    /// - Parameter contents: What is there.
    func append(_ new: [JournalTransactions], to contents: Contents) throws(FileError) {
        var bytes: [UInt8] = []
        var place = contents.end
        for transactions in new {
            let (encoded, next) = JournalRecord(.past(transactions), durableEnd: 0).encoded(at: place)
            bytes += encoded
            place = next
        }
        let file = try operations.open(names.history, .update)
        defer { try? operations.close(file, at: names.history) }
        // What a torn record has left must not stand behind the new ones.
        try operations.truncate(file, at: names.history, to: contents.end.offset)
        try operations.write(bytes, to: file, at: names.history, offset: contents.end.offset)
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
            let (encoded, next) = JournalRecord(content, durableEnd: 0).encoded(at: place)
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
            guard error.cause == .notFound || error.cause == .notFolder else { throw error }
            return
        }
        try operations.synchronizeFolder(names.folder)
    }
}

extension PastFile.Contents {
    fileprivate init(_ header: JournalHeader, _ scan: JournalScan) {
        self.init(header: header, end: scan.end)
        let ends = scan.records.dropFirst().map(\.offset) + [scan.end.offset]
        for ((offset, record), end) in zip(scan.records, ends) {
            switch record.content {
            case .history(let history): self.history = history
            case .past(let transactions) where transactions.position > records.last?.position ?? 0:
                records.append(transactions)
                sizes.append(end - offset)
            default: break
            }
        }
    }
}

extension JournalTransactions {
    /// How many transactions are known of.
    var transactionCount: Int { max(1, list?.count ?? 1) }
}

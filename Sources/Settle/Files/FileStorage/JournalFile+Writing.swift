/// Writing. Requires the lock, except for a sync.
extension JournalFile {
    /// The minimum step by which the file grows. The space after its end reads as zeros, so that a sync after an append
    /// need not write a new file size.
    private static let growth = 16 << 10
    /// The maximum step by which the file grows beyond what is needed.
    private static let growthLimit = 64 << 10

    /// Begins the empty file with a header and these records, in one write. If that fails, the file is closed: the next
    /// process that opens it finds that it was never begun.
    ///
    /// - Parameter previous: The end of the previous journal; of generation 0 if there was none.
    mutating func begin(
        after previous: JournalPosition, _ past: KeptPast?, with contents: [JournalRecord.Content],
        isReset: Bool, for owner: FileStatus.Owner?
    ) throws(FileError) {
        let (generation, beginning) = (UInt64.random(in: 1 ... .max), token ?? .beginning())
        var lineage = lineage
        if !isReplacement {
            if previous.generation != 0 { lineage.restarts += 1 }
            lineage.start = JournalLineage.Start(
                generation: generation, position: beginning.position, checksum: beginning.checksum)
        }
        if previous.generation == 0, case .base(let base)? = contents.first { lineage.origin = base.mirrors[0].version }
        if isReset { lineage.resets += 1 }
        do throws(FileError) {
            guard let file else { return }
            operations.keepOwner(owner, of: file, at: path)
            // The process's umask may have removed permissions that the user needs.
            try operations.setPermissions(of: file, at: path, to: 0o600)
            var header = JournalHeader(
                generation: generation, previousGeneration: previous.generation,
                previousEnd: previous.generation == 0 ? 0 : UInt64(previous.offset), beginning: beginning,
                oldest: past?.oldest, lineage: lineage)
            var (bytes, place) = Self.encode(
                past?.records.map(JournalRecord.Content.past) ?? [], at: .start(of: header.generation))
            header.base = UInt64(place.offset)
            let (rest, end) = Self.encode(contents, at: place)
            bytes.insert(contentsOf: header.encoded, at: 0)
            try write(bytes + rest, at: 0)
            take(header, end, beginning, durableEnd: 0, beginningEnd: end.offset)
        } catch {
            close()
            throw error
        }
    }

    private static func encode(
        _ contents: [JournalRecord.Content], at start: JournalPosition
    ) -> (bytes: [UInt8], end: JournalPosition) {
        var (bytes, place): ([UInt8], _) = ([], start)
        for content in contents {
            // A history record is on stable storage by the time it is read: its journal gets its name only then.
            let isPast = if case .past = content { true } else { false }
            let (encoded, next) = JournalRecord(content, durableEnd: isPast ? place.offset : 0).encoded(at: place)
            bytes += encoded
            place = next
        }
        return (bytes, place)
    }

    /// Appends a record.
    ///
    /// - Parameter limit: The offset at which the record must end at the latest.
    /// - Throws: Also ``SystemError/fileTooLarge`` if it would end after that.
    mutating func append(_ content: JournalRecord.Content, within limit: Int) throws(FileError) {
        let content = content.counted(after: token)
        let (bytes, next) = JournalRecord(content, durableEnd: durableEnd).encoded(at: end)
        guard next.offset <= limit else {
            let cause = SystemError(.fileTooLarge, rule: "it may have \(limit) bytes")
            throw FileError(action: "append to", path: path.text, cause: cause)
        }
        try cutTail()
        try write(bytes, at: end.offset)
        end = next
        guard let position = content.transactions?.position else { return }
        token?.position = position
        token?.checksum = next.chain
    }

    /// Makes the next record follow a gap: something unknown is missing before it.
    mutating func leaveGap() { token = token?.behindGap }

    /// Removes bytes after the end that are not a record: the rest of an interrupted append, or what a loss of power
    /// has left. After a record with the bytes of the missing one, they would be a valid record again.
    private mutating func cutTail() throws(FileError) {
        guard let file, mayHaveTail else { return }
        try operations.truncate(file, at: path, to: end.offset)
        (size, mayHaveTail) = (end.offset, false)
    }

    private mutating func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        guard let file else { return }
        try operations.write(bytes, to: file, at: path, offset: offset)
        let needed = offset + bytes.count
        guard needed > size else { return }
        size = needed
        // Beyond the written bytes: if the file is cut short, it still ends with them.
        let grown = (needed + max(Self.growth, min(needed / 4, Self.growthLimit))) & ~4095
        if (try? operations.truncate(file, at: path, to: grown)) != nil { size = grown }
    }

    /// Makes everything that was appended durable. Needs no lock.
    mutating func synchronize() throws(FileError) {
        guard let file, !isDurable else { return }
        let end = end.offset
        do throws(FileError) {
            guard !needsReplacement else { throw FileError(action: "sync", path: path.text, cause: .inputOutput) }
            try operations.synchronizeData(file, at: path)
        } catch {
            needsReplacement = true
            throw error
        }
        durableEnd = end
    }

    /// Replaces the journal by a new file with these records, on stable storage, and continues with it. Requires the
    /// lock, which it keeps.
    mutating func replace(
        _ past: KeptPast?, with contents: [JournalRecord.Content], isReset: Bool, names: FileNames,
        for owner: FileStatus.Owner?
    ) throws(FileError) {
        let temporary = names.newTemporary(for: path)
        var new = JournalFile(operations, path: temporary)
        let file = try operations.open(temporary, .createNew(permissions: 0o600))
        new.file = file
        do throws(FileError) {
            // Before the file has its name, so that no other process writes first. Without locks there is no other
            // process.
            try? operations.lock(file, at: temporary)
            (new.token, new.lineages, new.isReplacement) = (token, lineages, true)
            try new.begin(after: end, past, with: contents, isReset: isReset, for: owner)
            try operations.synchronize(file, at: temporary)
            new.durableEnd = new.end.offset
            try operations.rename(temporary, to: path)
        } catch {
            try? operations.remove(temporary)
            new.close()
            throw error
        }
        let lockCount = lockCount
        close()
        self.file = file
        identity = nil
        end = new.end
        token = new.token
        (header, lineages) = (new.header, new.lineages)
        beginningEnd = new.beginningEnd
        isKnown = true
        (size, mayHaveTail) = (new.size, false)
        self.lockCount = lockCount
        durableEnd = 0
        try operations.synchronizeFolder(path.folder)
        durableEnd = new.durableEnd
    }
}

extension JournalRecord.Content {
    /// Returns the same with the numbers of its transactions in a journal's history.
    fileprivate func counted(after token: ChangeToken?) -> JournalRecord.Content {
        guard let count = batch?.transactions?.count else { return self }
        return changingBatch { batch in
            let transactions = batch.transactions
            batch.transactions = token.flatMap { token in
                var transactions = transactions
                transactions?.position = token.position + count
                return transactions
            }
        }
    }
}

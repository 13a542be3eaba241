/// The journal of a settings file, as this process has it open.
///
/// Its file carries the lock under which all processes write. The file at the journal's path may be replaced by another
/// one (``replace(_:with:isReset:names:for:)``); a process that still has the old one sees that it has no name any
/// more.
struct JournalFile: Sendable {
    /// What ``lock(timeout:)`` has found.
    enum Finding: Sendable, Hashable {
        /// The file that was open before; others may have appended to it.
        case same
        /// A new file, without a header.
        case new
        /// A file that has not been read yet.
        case other
        /// The file that was open before, which does not have its name any more. The lock was not taken.
        case replaced
    }

    let operations: FileOperations
    let path: FilePath
    private(set) var file: FileDescriptor?
    /// Of the file that is open, once it has been asked for.
    private var identity: FileStatus.Identity?
    /// Whether the file that is open has been read.
    private(set) var isKnown = false
    private(set) var isReadOnly = false
    /// The header of the file, if it has a good one.
    private(set) var header: JournalHeader?
    /// Where the next record belongs.
    private(set) var end = JournalPosition.start(of: 0)
    /// Where the file's history stands behind the last record that has been read or written; `nil` until one has.
    private(set) var token: ChangeToken?
    /// Up to where it is known, in the file and in the history.
    typealias Place = (offset: Int, token: ChangeToken?)
    var place: Place { (end.offset, token) }
    /// That of the last one with a header.
    var lineage: JournalLineage { lineages.last ?? JournalLineage() }
    /// Those of all that this process has had open, one for each that was begun where there was none.
    private(set) var lineages: [JournalLineage] = []
    /// Where the records end that it was begun with.
    private(set) var beginningEnd = 0
    /// Up to where the file is known to be on stable storage.
    private(set) var durableEnd = 0
    /// How large the file is, with the zeros behind its end.
    private var size = 0
    /// Whether something else than zeros may stand behind its end.
    private var mayHaveTail = false
    /// How often the lock was taken.
    private(set) var lockCount = 0
    /// Whether it is to take the place of another one.
    private var isReplacement = false
    /// A sync has failed: what was written may be lost although later syncs succeed. Another journal makes up for it,
    /// so this belongs to the file that is open and not to the repairs that are pending.
    private(set) var needsReplacement = false

    /// The least by which the file grows. What lies behind its end reads as zeros, so that a sync after an append has
    /// no change of the file's size to write.
    private static let growth = 16 << 10
    /// Of a longer record, the checksum and what follows behind it are read one by one.
    private static let lookLimit = 1 << 10
    /// The largest step by which the file grows beyond what it must.
    private static let growthLimit = 64 << 10

    init(_ operations: FileOperations, path: FilePath) {
        self.operations = operations
        self.path = path
    }

    var isOpen: Bool { file != nil }
    var isLocked: Bool { lockCount > 0 }
    /// Whether everything that was appended is on stable storage.
    var isDurable: Bool { durableEnd >= end.offset && !needsReplacement }

    // MARK: Opening

    /// Opens the file if it exists.
    mutating func open() throws(FileError) -> Bool {
        close()
        do {
            (file, isReadOnly) = try openForReading()
            return true
        } catch {
            guard error.cause == .notFound else { throw error }
            return false
        }
    }

    /// Opens it for writing too, if that is allowed: to follow a file that others write needs no more.
    private func openForReading() throws(FileError) -> (FileDescriptor, isReadOnly: Bool) {
        do {
            return (try operations.open(path, .update), false)
        } catch {
            guard error.cause == .permissionDenied || error.cause == .readOnlyFileSystem else { throw error }
            return (try operations.open(path, .read), true)
        }
    }

    mutating func close() {
        guard let file else { return }
        // A process that was forked a moment ago has the file too, and with it the lock until it runs its program.
        if lockCount > 0 { try? operations.unlock(file, at: path) }
        // What was to be durable has been synced; closing has nothing to report. It also gives up the lock.
        try? operations.close(file, at: path)
        didClose()
    }

    private mutating func didClose() {
        file = nil
        identity = nil
        isKnown = false
        isReadOnly = false
        lockCount = 0
        needsReplacement = false
    }

    /// Gives up the file and its lock.
    ///
    /// - Returns: The same file, to be read and closed by the caller, if it was known.
    mutating func detach() -> JournalFile? {
        guard isKnown, let file else {
            close()
            return nil
        }
        if lockCount > 0 { try? operations.unlock(file, at: path) }
        lockCount = 0
        defer { didClose() }
        return self
    }

    /// Whether the path leads to something else by now, or to nothing.
    mutating func isReplaced() throws(FileError) -> Bool {
        guard let file else { return true }
        return try statusIfNamed(file) == nil
    }

    // MARK: Reading

    /// All bytes of the file.
    mutating func readAll(limit: Int) throws(FileError) -> [UInt8] { try read(at: 0, count: sizeToRead(limit: limit)) }

    /// How many bytes there are to be read.
    private mutating func sizeToRead(limit: Int) throws(FileError) -> Int {
        guard let file else { return 0 }
        let status = try operations.status(of: file, at: path)
        guard status.kind == .file else { throw FileError(action: "read", path: path.text, cause: .invalidArgument) }
        guard status.size <= limit else { throw FileError(action: "read", path: path.text, cause: .fileTooLarge) }
        size = Int(status.size)
        return size
    }

    /// Reads everything from the record on that has all values, and takes the place behind the last record. What is
    /// kept of the past is skipped.
    mutating func scan(limit: Int) throws(FileError) -> JournalReading {
        let size = try sizeToRead(limit: limit)
        // Of most, that is all.
        let bytes = try read(at: 0, count: min(size, Self.growthLimit))
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
        mayHaveTail = reading.isTorn
        take(
            header, scan.end, scan.records.token(after: header.beginning), durableEnd: reading.durableEnd,
            beginningEnd: scan.records.dropFirst().first?.offset ?? scan.end.offset)
        return reading
    }

    /// Takes a place in the file that was found by reading it.
    ///
    /// - Parameter token: Where the history stands there. One that does not say leaves what is known.
    mutating func take(
        _ header: JournalHeader?, _ end: JournalPosition, _ token: ChangeToken?, durableEnd: Int, beginningEnd: Int
    ) {
        self.beginningEnd = beginningEnd
        if let token { self.token = token }
        // One without a header may be one that another process is just beginning: it is read again once the lock is
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

    /// Counts the file as one that has not been read, and of which is known what was known before.
    mutating func goBack(to known: JournalFile) {
        take(known.header, known.end, known.token, durableEnd: known.durableEnd, beginningEnd: known.beginningEnd)
        forget()
    }

    /// Counts the file as one that has not been read.
    private mutating func forget() {
        isKnown = false
    }

    /// What others have appended since the last time.
    struct News {
        var records: [(offset: Int, record: JournalRecord)] = []
        /// Whether the file had no more.
        var isAll = false
    }

    /// Reads what others have appended since the last time. If that fails, all of it is read the next time.
    ///
    /// A file that has become another one in place, such as by a backup that was copied over it, is not known any more.
    ///
    /// - Parameter limit: How many bytes to read at most; what goes beyond is left for the next time.
    mutating func readNew(atMost limit: Int = .max) throws(FileError) -> News {
        guard file != nil else { return News() }
        switch try rest() {
        // Nearly always, and this is asked before each append.
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
            guard !scan.records.isEmpty else { break }
            news.records += scan.records
            place = scan.end
            let isEnd = bytes.count < size
            // Otherwise more may follow behind what was read, or is just being written.
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

    /// Whether the file has something that has not been read.
    func hasNews() throws(FileError) -> Bool {
        guard file != nil else { return false }
        return try rest() != .nothing
    }

    /// Whether the file has at a place of its generation what stood there.
    ///
    /// - Parameter isDamaged: Whether that can't be told.
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

    /// What the file has behind what was read of it.
    private enum Rest {
        case nothing
        case records
        /// What was read does not stand there any more.
        case otherFile
    }

    /// The last checksum follows from all that was read, and the length of a next record is never zero.
    private func rest() throws(FileError) -> Rest {
        let distance = end.offset - end.chainOffset
        let isShort = distance <= Self.lookLimit
        let lengthSize = MemoryLayout<UInt32>.size
        let bytes = try read(at: end.chainOffset, count: isShort ? distance + lengthSize : MemoryLayout<UInt64>.size)
        // With the last byte of what was read, which a file that was cut short does not have.
        let known = min(1, distance)
        let tail =
            isShort
            ? bytes.dropFirst(distance - known)
            : ArraySlice(try read(at: end.offset - known, count: known + lengthSize))
        // As long as there is no header, there is nothing to compare.
        guard chain(in: bytes) == end.chain && tail.count >= known || end.generation == 0 else { return .otherFile }
        return tail.dropFirst(known).allSatisfy { $0 == 0 } ? .nothing : .records
    }

    func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        guard let file else { return [] }
        return try operations.read(file, at: path, offset: offset, count: count)
    }

    // MARK: The lock

    /// Takes the lock, and makes the file if there is none. The folder must exist.
    @inline(never) mutating func lock(timeout: inout LockTimeout) throws(FileError) -> Finding {
        if lockCount > 0 {
            lockCount += 1
            return .same
        }
        let file = try openForWriting()
        try timeout.lock(file, at: path, operations)
        let status: FileStatus?
        do {
            status = try statusIfNamed(file)
        } catch {
            giveUpLock(of: file)
            throw error
        }
        guard let status else {
            giveUpLock(of: file)
            return .replaced
        }
        operations.makePrivate(file, status, at: path)
        size = Int(status.size)
        lockCount = 1
        return status.size == 0 ? .new : isKnown && header != nil ? .same : .other
    }

    /// By its name: a file in a folder that was moved away has all of its names, and will not be found.
    ///
    /// - Returns: `nil` if the open file is not the one that has the name.
    private mutating func statusIfNamed(_ file: FileDescriptor) throws(FileError) -> FileStatus? {
        let own: FileStatus.Identity
        if let identity {
            own = identity
        } else {
            own = try operations.status(of: file, at: path).identity
            identity = own
        }
        do {
            let status = try operations.status(at: path)
            return status.identity == own ? status : nil
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw error }
            return nil
        }
    }

    /// Counts the lock, which has been taken once, as taken more often.
    mutating func keepLocked(count: Int) {
        guard lockCount > 0 else { return }
        lockCount = max(lockCount, count)
    }

    private mutating func openForWriting() throws(FileError) -> FileDescriptor {
        if let file, !isReadOnly { return file }
        let new = try operations.open(path, .updateOrCreate(permissions: 0o600))
        if let old = file {
            let identity = try? operations.status(of: old, at: path).identity
            isKnown = isKnown && identity != nil && identity == (try? operations.status(of: new, at: path).identity)
            try? operations.close(old, at: path)
        }
        file = new
        identity = nil
        isReadOnly = false
        return new
    }

    mutating func unlock() {
        guard lockCount > 0, let file else { return }
        lockCount -= 1
        if lockCount == 0 { giveUpLock(of: file) }
    }

    private mutating func giveUpLock(of file: FileDescriptor) {
        do {
            try operations.unlock(file, at: path)
        } catch {
            // Closing the file gives up the lock too. What was not synced by then can't be any more, through this
            // descriptor.
            let mustReplace = needsReplacement || !isDurable
            close()
            needsReplacement = mustReplace
        }
    }

    // MARK: Writing, under the lock

    /// Begins the empty file with a header and these records, in one write. If that fails, the file is closed: the next
    /// to open it finds that it was never begun.
    ///
    /// - Parameter previous: The end of the journal before; of generation 0 if there was none.
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
            // The process's mask may have taken away permissions that the user needs.
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
            // One of the past is on stable storage by the time that it is read: its journal has its name only then.
            let isPast = if case .past = content { true } else { false }
            let (encoded, next) = JournalRecord(content, durableEnd: isPast ? place.offset : 0).encoded(at: place)
            bytes += encoded
            place = next
        }
        return (bytes, place)
    }

    /// Appends a record.
    ///
    /// - Parameter limit: Where the record must end.
    /// - Throws: Also ``SystemError/fileTooLarge`` if it would end behind that.
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

    /// What comes next follows behind a gap: something that is not known is missing.
    mutating func leaveGap() { token = token?.behindGap }

    /// Cuts off what stands behind the end and is no record: the rest of an append that was cut short, or what a loss
    /// of power has left. Behind a record with the bytes of the one that is missing it would be one again.
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
        // Behind what is written: cut short, the file still ends with that.
        let grown = (needed + max(Self.growth, min(needed / 4, Self.growthLimit))) & ~4095
        if (try? operations.truncate(file, at: path, to: grown)) != nil { size = grown }
    }

    /// Moves what was appended to stable storage. Needs no lock.
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

    /// Puts a new file with these records in the journal's place, on stable storage, and goes on with it. Under the
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
            // Before it has its name, so that no other process writes first. Without locks there is no other process.
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

extension [(offset: Int, record: JournalRecord)] {
    /// Where a history stands behind these records.
    ///
    /// - Parameter token: Where it stands before them.
    func token(after token: ChangeToken?) -> ChangeToken? {
        guard let token, let last = last(where: { $0.record.content.transactions != nil }) else { return token }
        return last.record.content.transactions?.token(in: token.history)
    }
}

extension JournalRecord.Content {
    /// The same with the numbers of its transactions in the history that a journal tells.
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

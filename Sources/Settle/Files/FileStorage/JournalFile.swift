/// The journal of a settings file, as this process has it open.
///
/// Its file carries the lock under which all processes write. The file at the journal's path may be replaced by another
/// one (``replace(_:with:isReset:names:for:)``). A process that still has the old file open notices that the file no
/// longer has its name.
struct JournalFile: Sendable {
    /// The result of ``lock(timeout:)``.
    enum Finding: Sendable, Hashable {
        /// The file that was open before; others may have appended to it.
        case same
        /// A new file, without a header.
        case new
        /// A file that has not been read yet.
        case other
        /// The file that was open before, which no longer has its name. The lock was not taken.
        case replaced
    }

    var operations: FileOperations
    let path: FilePath
    private(set) var file: FileDescriptor?
    /// The identity of the open file, once it has been asked for.
    private var identity: FileStatus.Identity?
    /// Whether its folder is on a file system of this machine, once the lock has been taken; `nil` on systems where
    /// that can't be determined.
    private var knownToBeLocal: Bool?
    /// Whether the open file has been read.
    private(set) var isKnown = false
    private(set) var isReadOnly = false
    /// The header of the file, if it has a valid one.
    private(set) var header: JournalHeader?
    /// The position of the next record.
    private(set) var end = JournalPosition.start(of: 0)
    /// The token after the last record that has been read or written; `nil` until one has.
    private(set) var token: ChangeToken?
    /// The point up to which it is known, in the file and in the history.
    typealias Place = (offset: Int, token: ChangeToken?)
    var place: Place { (end.offset, token) }
    /// The lineage of the last journal with a header.
    var lineage: JournalLineage { lineages.last ?? JournalLineage() }
    /// The lineages of all journals that this process has had open, one for each that was begun where there was none.
    private(set) var lineages: [JournalLineage] = []
    /// The end of the records with which it was begun.
    private(set) var beginningEnd = 0
    /// The offset up to which the file is known to be on stable storage.
    private(set) var durableEnd = 0
    /// The size of the file, with the zeros after its end.
    private var size = 0
    /// Whether something else than zeros may follow its end.
    private var mayHaveTail = false
    /// How often the lock was taken.
    private(set) var lockCount = 0
    /// Whether it is to replace another one.
    private var isReplacement = false
    /// A sync has failed: appended data may be lost although later syncs succeed. Another journal makes up for it, so
    /// this belongs to the open file and not to the pending repairs.
    private(set) var needsReplacement = false

    /// The minimum step by which the file grows. The space after its end reads as zeros, so that a sync after an append
    /// need not write a new file size.
    private static let growth = 16 << 10
    /// If a record is longer than this, its checksum and the bytes after it are read separately.
    private static let lookLimit = 1 << 10
    /// The maximum step by which the file grows beyond what is needed.
    private static let growthLimit = 64 << 10
    /// A journal up to this size is read by one call.
    private static let wholeLimit = 64 << 10

    init(_ operations: FileOperations, path: FilePath) {
        self.operations = operations
        self.path = path
    }

    var isOpen: Bool { file != nil }
    var isLocked: Bool { lockCount > 0 }
    /// Whether everything that was appended is on stable storage.
    var isDurable: Bool { durableEnd >= end.offset && !needsReplacement }

    // MARK: Opening

    /// Opens the file if it exists. Returns whether it does.
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

    /// Opens the file, for writing too if that is allowed: following a file that others write only needs reading.
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
        // A process forked a moment ago has the file too, and with it the lock until that process runs its program.
        if lockCount > 0 { try? operations.unlock(file, at: path) }
        // Data that was to be durable has been synced; closing has nothing to report. It also releases the lock.
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
    /// - Returns: The same file, for the caller to read and close, if it was known.
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

    /// The identity of the open file; `nil` if none is open.
    var openIdentity: FileStatus.Identity? { file.flatMap { try? operations.status(of: $0, at: path).identity } }

    /// Returns whether the path now leads to another file, or to none.
    mutating func isReplaced() throws(FileError) -> Bool {
        guard let file else { return true }
        return try statusIfNamed(file) == nil
    }

    // MARK: Reading

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
        checkWhetherLocal()
        size = Int(status.size)
        lockCount = 1
        return status.size == 0 ? .new : isKnown && header != nil ? .same : .other
    }

    /// Determines whether a call for the file never waits for another machine. This may wait for one itself, so it
    /// belongs to a lock that may wait.
    private mutating func checkWhetherLocal() {
        #if os(Linux) || os(Android)
            if knownToBeLocal == nil { knownToBeLocal = !RemoteFileSystem.contains(path.folder) }
        #endif
    }

    /// Takes the lock of the known file, if it is known to be local and the lock is free.
    mutating func lockAtOnce() -> Bool {
        guard let file, isKnown, header != nil, !isReadOnly, !isLocked, !needsReplacement,
            knownToBeLocal == true, (try? operations.tryLock(file, at: path)) == true
        else { return false }
        guard let status = try? statusIfNamed(file) else {
            giveUpLock(of: file)
            return false
        }
        operations.makePrivate(file, status, at: path)
        size = Int(status.size)
        lockCount = 1
        return true
    }

    /// Returns the status, looked up by name: a file in a folder that was moved away still has all its names, but will
    /// not be found.
    ///
    /// - Returns: `nil` if the open file is not the one with the name.
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

    /// Counts the lock, which has been taken once, as taken several times.
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
            // Closing the file releases the lock too. After that, this descriptor can't sync the rest any more.
            let mustReplace = needsReplacement || !isDurable
            close()
            needsReplacement = mustReplace
        }
    }

    // MARK: Writing, under the lock

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

extension [(offset: Int, record: JournalRecord)] {
    /// Returns the token of a history after these records.
    ///
    /// - Parameter token: The token before them.
    func token(after token: ChangeToken?) -> ChangeToken? {
        guard let token, let last = last(where: { $0.record.content.transactions != nil }) else { return token }
        return last.record.content.transactions?.token(in: token.history)
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

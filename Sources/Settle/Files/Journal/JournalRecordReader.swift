/// Reads single records of a journal at any offset. Trusts nothing in the bytes.
struct JournalRecordReader {
    let bytes: UnsafeRawBufferPointer
    /// The offset of the first byte in the journal.
    let base: Int
    let generation: UInt64

    /// The offset of the end of the bytes in the journal.
    var end: Int { base + bytes.count }

    /// The bytes between two offsets of the journal, which must be within the reader's bytes.
    func slice(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(start - base)..<(end - base)])
    }

    /// `nil` if no record begins there, or if its header is incomplete.
    func header(at offset: Int) -> JournalRecordHeader? {
        guard end - offset >= JournalRecordHeader.size else { return nil }
        return JournalRecordHeader(slice(offset, end))
    }

    /// Whether the whole record is available and its checksum matches.
    func isIntact(_ header: JournalRecordHeader, at offset: Int) -> Bool {
        guard header.recordSize <= end - offset else { return false }
        return header.checksum
            == JournalRecordHeader.checksum(
                of: slice(offset, offset + header.recordSize), generation: generation, offset: offset)
    }

    /// Reads an intact record. Throws if this version does not understand it.
    func record(_ header: JournalRecordHeader, at offset: Int) throws(JournalError) -> JournalRecord {
        let start = offset + JournalRecordHeader.size
        let payload = slice(start, start + header.payloadSize)
        guard let section = JournalKeySection(payload, generation: generation, offset: offset) else { throw .damaged }
        var reader = JournalValueReader(
            UnsafeRawBufferPointer(rebasing: payload[(JournalKeySection.size + section.bytes.count)...]))
        let content: JournalRecord.Content
        func transactions(of batch: JournalBatch? = nil) throws(JournalError) -> JournalTransactions? {
            guard header.hasTransactions else { return nil }
            var transactions = try reader.readTransactions(of: batch)
            transactions.checksum = header.checksum
            return transactions
        }
        switch header.kind {
        case .values:
            var batch = try reader.readBatch(section)
            batch.transactions = try transactions(of: batch)
            content = .values(batch)
        case .kept: content = .kept(try reader.readBatch(section))
        case .edited, .editedState:
            let mirror = try reader.readMirror(isOfState: header.kind == .editedState)
            var batch = try reader.readBatch(section)
            batch.transactions = try transactions(of: batch)
            content = .edited(mirror, batch)
        case .united:
            let (origin, mirrors) = (try reader.readToken(), try reader.readMirrors())
            var batch = try reader.readBatch(section)
            batch.transactions = try transactions(of: batch)
            content = .united(JournalUnion(origin: origin, mirrors: mirrors, batch: batch))
        case .base: content = .base(try reader.readBase(section))
        case .mirroring: content = .mirroring(try reader.readVersion(section))
        case .mirrored: content = .mirrored(try reader.readVersion(section))
        case .history: content = .history(try reader.readHistory(section))
        case .state: content = .state(try reader.readState(section))
        case .past:
            let checksum = try reader.readChecksum(section)
            guard var transactions = try transactions() else { throw .damaged }
            transactions.checksum = checksum
            content = .past(transactions)
        case nil: throw .damaged
        }
        guard reader.isAtEnd else { throw .damaged }
        return JournalRecord(content, durableEnd: header.durableEnd)
    }

    /// Returns the version of the readable file in an intact record; `nil` if it can't be read, or if the record shows
    /// that the file lacks something or may have another version.
    func mirror(_ header: JournalRecordHeader, at offset: Int) -> FileVersion? {
        let start = offset + JournalRecordHeader.size
        let payload = slice(start, start + header.payloadSize)
        guard let section = JournalKeySection(payload, generation: generation, offset: offset) else { return nil }
        var reader = JournalValueReader(
            UnsafeRawBufferPointer(rebasing: payload[(JournalKeySection.size + section.bytes.count)...]))
        if header.kind == .base, (try? reader.readCount()) != 1 { return nil }
        guard let version = try? reader.readVersion() else { return nil }
        return header.kind != .base || (try? reader.readCount()) == 0 ? version : nil
    }

    /// Returns the keys of a possibly damaged record; `nil` if they are damaged too, or if every key is affected.
    ///
    /// - Parameter limit: The offset at which the record ends at the latest.
    func provenKeys(ofRecordAt offset: Int, before limit: Int) -> [SettingKey]? {
        let start = offset + JournalRecordHeader.size
        guard start <= limit,
            let section = JournalKeySection(slice(start, limit), generation: generation, offset: offset),
            section.count != JournalKeySection.everything
        else { return nil }
        return try? section.keys()
    }
}

extension JournalValueReader {
    fileprivate mutating func readVersion() throws(JournalError) -> FileVersion {
        FileVersion(hash: try readBits(), size: try readBits())
    }

    /// - Parameter section: Must have no keys.
    fileprivate mutating func readVersion(_ section: JournalKeySection) throws(JournalError) -> FileVersion {
        guard section.count == 0, section.bytes.isEmpty else { throw .damaged }
        return try readVersion()
    }

    /// - Parameter section: Must stand for everything.
    fileprivate mutating func readBase(_ section: JournalKeySection) throws(JournalError) -> JournalBase {
        guard section.count == JournalKeySection.everything, section.bytes.isEmpty else { throw .damaged }
        let mirrors = try readMirrors()
        let news = try readNews()
        guard case .dictionary(let root) = try readValue() else { throw .damaged }
        guard !mirrors.isEmpty else { throw .damaged }
        return JournalBase(tree: SettingTree(root), mirrors: mirrors, news: news)
    }

    private mutating func readNews() throws(JournalError) -> JournalBase.News? {
        let count = try readSize()
        guard count > 0 else { return nil }
        var keys: Set<SettingKey> = []
        for _ in 1..<count { keys.insert(SettingKey(stored: try readText())) }
        let flags = try readCount()
        let united = flags & 1 == 0 ? nil : try readToken()
        let edited = flags & 2 == 0 ? [] : try readKeys()
        let unitedKeys = flags & 8 == 0 ? [] : try readKeys()
        let news = JournalBase.News(keys: keys, edited: edited, united: united, unitedKeys: unitedKeys)
        if news.flags == flags { return news }
        guard flags == JournalBase.News.everything.flags, keys.isEmpty else { throw .damaged }
        return .everything
    }

    fileprivate mutating func readMirrors(isOfState: Bool = false) throws(JournalError) -> [JournalBase.Mirror] {
        var mirrors: [JournalBase.Mirror] = []
        for _ in 0..<(try readSize()) { mirrors.append(try readMirror(isOfState: isOfState)) }
        return mirrors
    }

    fileprivate mutating func readMirror(isOfState: Bool) throws(JournalError) -> JournalBase.Mirror {
        var mirror = JournalBase.Mirror(try readVersion(), isOfState: isOfState)
        for _ in 0..<(try readSize()) {
            let key = SettingKey(stored: try readText())
            mirror.difference.append(JournalEntry(key: key, value: try readValueIfAny()))
        }
        return mirror
    }

    /// - Parameter section: Must have no keys.
    fileprivate mutating func readHistory(_ section: JournalKeySection) throws(JournalError) -> JournalHistory {
        guard section.count == 0, section.bytes.isEmpty else { throw .damaged }
        let (transactions, bytes, seconds) = (try readCount(), try readCount(), Int64(bitPattern: try readBits()))
        guard let transactions = Int(exactly: transactions), let bytes = Int(exactly: bytes), seconds >= 0 else {
            throw .damaged
        }
        var history = JournalHistory(
            policy: HistoryPolicy(
                transactions: transactions, bytes: bytes, age: HistoryPolicy.Age(seconds: seconds)))
        history.secrets = try readKeys()
        return history
    }

    /// - Parameter section: Must have no keys.
    fileprivate mutating func readState(_ section: JournalKeySection) throws(JournalError) -> JournalStateKeys {
        guard section.count == 0, section.bytes.isEmpty else { throw .damaged }
        return JournalStateKeys(
            added: try readKeys(), removed: try readKeys(), mirrors: try readMirrors(isOfState: true))
    }

    private mutating func readKeys() throws(JournalError) -> Set<SettingKey> {
        var keys: Set<SettingKey> = []
        for _ in 0..<(try readSize()) { keys.insert(SettingKey(stored: try readText())) }
        return keys
    }

    /// - Parameter section: Must have no keys.
    fileprivate mutating func readChecksum(_ section: JournalKeySection) throws(JournalError) -> UInt64 {
        guard section.count == 0, section.bytes.isEmpty else { throw .damaged }
        return try readBits()
    }

    fileprivate mutating func readBatch(_ section: JournalKeySection) throws(JournalError) -> JournalBatch {
        // A key has at least one byte: its count.
        guard section.count != JournalKeySection.everything, Int(section.count) <= section.bytes.count else {
            throw .damaged
        }
        let (revision, author) = (try readCount(), try readAuthor())
        var keys = JournalValueReader(section.bytes)
        var entries: [JournalEntry] = []
        entries.reserveCapacity(Int(section.count))
        for _ in 0..<section.count {
            let key = SettingKey(stored: try keys.readText())
            entries.append(JournalEntry(key: key, value: try readValueIfAny()))
        }
        guard keys.isAtEnd else { throw .damaged }
        return JournalBatch(revision: revision, author: author, entries: entries)
    }

    private mutating func readAuthor() throws(JournalError) -> String? {
        switch try readCount() {
        case 0: nil
        case 1: try readText()
        default: throw .damaged
        }
    }

    /// - Returns: `nil` if there is none.
    private mutating func readValueIfAny() throws(JournalError) -> SettingValue? {
        let tag = try readTag()
        return tag == JournalValueTag.absent ? nil : try readValue(tag)
    }
}

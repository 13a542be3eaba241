extension JournalRecord {
    /// Returns the record's bytes at a position of a journal, and the position of the next record.
    ///
    /// All numbers are little-endian; counts, texts and values are encoded as in ``JournalValueWriter``.
    ///
    ///      0  payload length  u32, never 0: the file is preallocated with zeros, which must not look like a record
    ///      4  kind            u8: 1 base, 2 values, 3 edited, 4 mirroring, 5 mirrored, 6 kept, 7 history, 8 past,
    ///                           9 united, 10 state, 11 edited state
    ///      5  flags           u8: 1 there are transactions
    ///      6  zeros           u16
    ///      8  chain           u64, checksum of the record before; of the first one, the generation
    ///     16  durableEnd      u64
    ///     24  checksum        u64 of the record with its padding, seeded with generation and offset
    ///     32  payload         and zeros up to the next multiple of 8
    ///
    /// Every payload begins with its keys, so that they can be recovered from a damaged record:
    ///
    ///      0  size of keys    u32
    ///      4  number of keys  u32; all ones where a whole tree is stored
    ///      8  checksum        u64 of the keys, seeded with generation and offset
    ///     16  keys            texts
    ///
    /// Up to here, records have the same form in all later versions, so that one of a later version can be distinguished
    /// from damage. What follows the keys depends on the kind:
    ///
    ///     base                  the number of versions that the file may have (a count), then each mirror; news; the
    ///                           tree as a value
    ///     mirroring, mirrored   hash u64, size u64 of the file
    ///     edited, edited state  mirror; batch
    ///     values, kept          batch
    ///     united                history, position and checksum (u64) of the token up to which the writer knew another
    ///                           history; the number of versions that the file may have because of that (a count), then
    ///                           each mirror; batch
    ///     history               transactions, bytes (counts), seconds (8 bytes), more keys of secrets (a count, then
    ///                           texts)
    ///     state                 keys that have become state, and keys that no longer are (for each a count, then
    ///                           texts); the number of versions that their file may have (a count), then each mirror
    ///     past                  checksum u64 of the record in the journal
    ///
    /// The transactions follow, if there are any, as ``JournalTransactions`` shows.
    ///
    /// A mirror is a version of the file, hash u64 and size u64, the number of keys where it differs from the values in
    /// force after the record (a count), and for each of them the key (a text) and the file's value.
    ///
    /// News are 0, or one more than the number of keys that were written since the journal was begun where there was
    /// none, or since a removal (a count), these (texts), and a sum of flags (a count). The flags are 1 if the token
    /// follows up to which the values of a removed journal were put beside these, 2 if keys follow that were edited in
    /// the file before (a count, then texts), 4 if all values were written since, and 8 if the keys of the added values
    /// follow (a count, then texts).
    ///
    /// A batch is its revision (a count), the number of writers (0 or 1, a count) and the writer's name, then the new
    /// value of each key; a separate tag means that there is none.
    ///
    /// The batch's ``JournalBatch/tooDeeplyNestedKey`` must be `nil`, and the payload within ``payloadLimit``.
    package func encoded(at position: JournalPosition) -> (bytes: [UInt8], next: JournalPosition) {
        let keysStart = JournalRecordHeader.size + JournalKeySection.size
        var writer = JournalValueWriter(skipping: keysStart, reserving: keysStart + 64 + roughSize)
        let batch = content.anyBatch
        let kind: JournalRecordHeader.Kind
        if let batch {
            for entry in batch.entries { writer.write(entry.key.description) }
        }
        let keysEnd = writer.bytes.count
        switch content {
        case .values(let batch):
            kind = .values
            writer.write(batch)
        case .kept(let batch):
            kind = .kept
            writer.write(batch)
        case .edited(let mirror, let batch):
            kind = mirror.isOfState ? .editedState : .edited
            writer.write(mirror)
            writer.write(batch)
        case .base(let base):
            kind = .base
            writer.write(base)
        case .mirroring(let version):
            kind = .mirroring
            writer.write(version)
        case .mirrored(let version):
            kind = .mirrored
            writer.write(version)
        case .history(let history):
            kind = .history
            writer.write(history)
        case .united(let union):
            kind = .united
            writer.write(union.origin)
            writer.write(union.mirrors)
            writer.write(union.batch)
        case .state(let state):
            kind = .state
            writer.write(state)
        case .past(let transactions):
            kind = .past
            writer.write(bits: transactions.checksum)
        }
        let transactions = content.transactions
        if let transactions { writer.write(transactions, of: content.batch) }
        let payloadSize = writer.bytes.count - JournalRecordHeader.size
        writer.pad()
        let keyCount = kind == .base ? JournalKeySection.everything : UInt32(batch?.entries.count ?? 0)
        let checksum = writer.withBytes { bytes in
            JournalKeySection.seal(
                UnsafeMutableRawBufferPointer(rebasing: bytes[JournalRecordHeader.size..<keysEnd]), count: keyCount,
                generation: position.generation, offset: position.offset)
            // Above the limit truncation does no harm: readers refuse the record either way.
            bytes.store(UInt32(truncatingIfNeeded: payloadSize), at: 0)
            bytes.store(kind.rawValue, at: 4)
            if transactions != nil { bytes.store(JournalRecordHeader.transactionsFlag, at: 5) }
            bytes.store(position.chain, at: JournalRecordHeader.chainOffset)
            bytes.store(UInt64(durableEnd), at: JournalRecordHeader.durableEndOffset)
            let checksum = JournalRecordHeader.checksum(
                of: UnsafeRawBufferPointer(bytes), generation: position.generation, offset: position.offset)
            bytes.store(checksum, at: JournalRecordHeader.checksumOffset)
            return checksum
        }
        let end = position.offset + writer.bytes.count
        let next = JournalPosition(
            generation: position.generation, offset: end, chain: checksum,
            chainOffset: position.offset + JournalRecordHeader.checksumOffset)
        return (writer.bytes, next)
    }

    /// A capacity that suffices for most batches, so that the bytes are allocated once.
    private var roughSize: Int {
        if case .base = content { return 4096 }
        return content.anyBatch?.entries.reduce(0) { $0 + $1.key.description.utf8.count + 24 } ?? 0
    }
}

extension JournalValueWriter {
    fileprivate mutating func write(_ history: JournalHistory) {
        write(count: UInt64(history.policy.transactions))
        write(count: UInt64(history.policy.bytes))
        write(bits: UInt64(bitPattern: history.policy.age.seconds))
        write(history.secrets)
    }

    fileprivate mutating func write(_ state: JournalStateKeys) {
        write(state.added)
        write(state.removed)
        write(state.mirrors)
    }

    private mutating func write(_ keys: Set<SettingKey>) {
        write(count: UInt64(keys.count))
        for key in keys.sorted() { write(key.description) }
    }

    fileprivate mutating func write(_ version: FileVersion) {
        write(bits: version.hash)
        write(bits: version.size)
    }

    fileprivate mutating func write(_ batch: JournalBatch) {
        write(count: batch.revision)
        if let name = batch.author {
            write(count: 1)
            write(name)
        } else {
            write(count: 0)
        }
        for entry in batch.entries { write(entry.value) }
    }

    fileprivate mutating func write(_ base: JournalBase) {
        write(base.mirrors)
        write(base.news)
        write(.dictionary(base.tree.root))
    }

    private mutating func write(_ news: JournalBase.News?) {
        guard let news else { return write(count: 0) }
        write(count: UInt64(news.keys.count + 1))
        for key in news.keys.sorted() { write(key.description) }
        write(count: news.flags)
        if let united = news.united { write(united) }
        if !news.edited.isEmpty { write(news.edited) }
        if !news.unitedKeys.isEmpty { write(news.unitedKeys) }
    }

    fileprivate mutating func write(_ mirrors: [JournalBase.Mirror]) {
        write(count: UInt64(mirrors.count))
        for mirror in mirrors { write(mirror) }
    }

    fileprivate mutating func write(_ mirror: JournalBase.Mirror) {
        write(mirror.version)
        write(count: UInt64(mirror.difference.count))
        for entry in mirror.difference {
            write(entry.key.description)
            write(entry.value)
        }
    }

    private mutating func write(_ value: SettingValue?) {
        if let value { write(value) } else { write(tag: JournalValueTag.absent) }
    }
}

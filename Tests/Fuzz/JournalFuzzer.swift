/// Feeds an input to the journal. The first byte chooses its kind:
///
/// 0: the bytes of a journal. 1: descriptions of records, which are written with valid checksums, so that the code
/// behind the checksums is reached too. 2: the same, with damage described by the first four bytes.
///
/// For any input, what is read survives writing and reading unchanged, no end lies beyond the bytes, and no damage adds
/// a record.
func fuzz(_ input: UnsafeBufferPointer<UInt8>) {
    guard !input.isEmpty else { return }
    let kind = input[0] % 3
    let input = Array(input[1...])
    switch kind {
    case 0: check(input)
    case 1: check(journal(describedBy: input[...]))
    default: checkDamage(input)
    }
}

private let position = JournalPosition.start(of: 7)

/// - Returns: The records that could be salvaged.
@discardableResult
private func check(_ journal: [UInt8]) -> JournalScan {
    journal.withUnsafeBytes { all in
        if let header = try? JournalHeader.decode(all) {
            precondition(header.encoded == Array(journal[..<JournalHeader.size]), "a header has changed")
        }
        guard all.count >= JournalHeader.size else { return JournalScan(end: position) }
        let bytes = UnsafeRawBufferPointer(rebasing: all[JournalHeader.size...])
        let scan = JournalScan.scan(bytes, at: JournalHeader.size, from: position)
        let salvaged = JournalScan.salvage(bytes, at: JournalHeader.size, from: position)
        check(scan, all.count)
        check(salvaged, all.count)
        precondition(scan.damage.isEmpty && salvaged.needsMore == nil)
        precondition(scan.records.count <= salvaged.records.count)
        for (left, right) in zip(scan.records, salvaged.records) {
            precondition(left.offset == right.offset && isSame(left.record, right.record), "salvaging lost a record")
        }
        if let needed = scan.needsMore {
            precondition(scan.tail == .torn && needed > bytes.count && needed <= bytes.count + (257 << 20))
        }
        checkReplay(salvaged.records)
        return salvaged
    }
}

private func check(_ scan: JournalScan, _ size: Int) {
    precondition(scan.end.offset <= size && scan.end.offset % 8 == 0, "the end is beyond the bytes")
    var end = JournalHeader.size
    for (offset, record) in scan.records {
        precondition(offset >= end, "records overlap")
        let position = JournalPosition(generation: 7, offset: offset, chain: 3, chainOffset: 0)
        let (bytes, next) = record.encoded(at: position)
        let again = bytes.withUnsafeBytes {
            JournalScan.scan($0, at: offset, from: position)
        }
        precondition(again.end == next && again.tail == .clean && again.records.count == 1, "a record is not read")
        precondition(isSame(again.records[0].record, record), "a record has changed")
        // Counts may have more bytes than they need, but not in what the writer produces.
        end = offset + 8
    }
    precondition(scan.end.offset >= end)
    for damage in scan.damage { precondition(damage.offset >= JournalHeader.size && damage.offset < scan.end.offset) }
}

private func checkReplay(_ records: [(offset: Int, record: JournalRecord)]) {
    var versions: Set<FileVersion> = [.absent, FileVersion(of: [])]
    for (_, record) in records {
        switch record.content {
        case .checkpoint(let version, _), .checkpointed(let version, _), .edited(let version, _):
            versions.insert(version)
            precondition(JournalReplay.batches(from: version, in: records) != nil, "a mentioned version is not known")
        case .values, .kept, .history, .past: break
        }
    }
    checkKept(records.map(\.record.content))
    for version in versions {
        let replay = JournalReplay(records: records, file: version)
        var tree = SettingTree(["a": .integer(1), "b": .dictionary(["c": .null])])
        let kept = replay.apply(to: &tree) { $0 == $1 }
        precondition(replay.match != .current || kept.isEmpty)
    }
}

/// Kept values must be restored from the records of a new journal.
private func checkKept(_ contents: [JournalRecord.Content]) {
    var kept = LastGoodValues()
    for content in contents {
        switch content {
        case .values(let batch): for entry in batch.entries { kept.remove(at: entry.key) }
        case .edited(_, let batch): for entry in batch.entries { kept.add(entry.value ?? .null, at: entry.key) }
        case .kept(let batch): kept.decide(batch)
        case .checkpoint, .checkpointed, .history, .past: break
        }
    }
    var again = LastGoodValues()
    if let batch = kept.batch {
        again.decide(batch)
        precondition(batch.entries.allSatisfy { !again.candidates(at: $0.key, insteadOf: nil).isEmpty })
    }
    for key in again.values.keys {
        precondition(again.values[key]?.count == kept.values[key]?.count, "what is kept has changed")
        again.remove(at: key)
    }
    precondition(again.isEmpty)
}

/// Each record is described by its kind and whether it has transactions, the size and number of its keys, the size of what follows, and these bytes.
private func journal(describedBy input: ArraySlice<UInt8>) -> [UInt8] {
    var journal = JournalHeader(generation: 7, beginning: .beginning()).encoded
    var chain: UInt64 = 7
    var rest = input
    while rest.count >= 4 {
        let numbers = Array(rest.prefix(4))
        rest = rest.dropFirst(4)
        let keys = rest.prefix(Int(numbers[1]))
        rest = rest.dropFirst(keys.count)
        let body = rest.prefix(Int(numbers[3]))
        rest = rest.dropFirst(body.count)
        var record = [UInt8](repeating: 0, count: 48) + keys
        record.withUnsafeMutableBytes { bytes in
            JournalKeySection.seal(
                UnsafeMutableRawBufferPointer(rebasing: bytes[32...]),
                count: numbers[2] == 255 ? JournalKeySection.everything : UInt32(numbers[2]), generation: 7,
                offset: journal.count)
        }
        record += body
        let payloadSize = record.count - 32
        record += [UInt8](repeating: 0, count: -record.count & 7)
        chain = record.withUnsafeMutableBytes { bytes in
            bytes.store(UInt32(payloadSize), at: 0)
            bytes.store(1 + (numbers[0] & 0x3F) % 7, at: 4)
            bytes.store(numbers[0] >> 6 & 1, at: 5)
            bytes.store(chain, at: 8)
            bytes.store(UInt64(numbers[0] & 0x80 == 0 ? 64 : journal.count), at: 16)
            let checksum = JournalRecordHeader.checksum(
                of: UnsafeRawBufferPointer(bytes), generation: 7, offset: journal.count)
            bytes.store(checksum, at: 24)
            return checksum
        }
        journal += record
    }
    return journal
}

private func checkDamage(_ input: [UInt8]) {
    guard input.count > 4 else { return }
    let whole = journal(describedBy: input[4...])
    let before = check(whole)
    guard whole.count > 64 else { return }
    var damaged = whole
    let place = 64 + (Int(input[0]) << 8 | Int(input[1])) % (whole.count - 64)
    if input[2] == 0 { damaged.removeLast(whole.count - place) } else { damaged[place] ^= input[2] }
    if input[3] & 1 == 1 { damaged += [UInt8](repeating: 0, count: 64) }
    for (offset, record) in check(damaged).records {
        guard let same = before.records.first(where: { $0.offset == offset }) else {
            preconditionFailure("damage has made a record")
        }
        precondition(isSame(same.record, record), "damage has changed a record")
    }
}

private func isSame(_ left: JournalRecord, _ right: JournalRecord) -> Bool {
    guard left.durableEnd == right.durableEnd else { return false }
    switch (left.content, right.content) {
    case (.values(let left), .values(let right)): return isSame(left, right)
    case (.edited(let leftVersion, let left), .edited(let rightVersion, let right)):
        return leftVersion == rightVersion && isSame(left, right)
    case (.kept(let left), .kept(let right)): return isSame(left, right)
    case (.past(let left), .past(let right)): return left.checksum == right.checksum && isSame(left, right)
    default: return left == right
    }
}

private func isSame(_ left: JournalBatch, _ right: JournalBatch) -> Bool {
    left.revision == right.revision && left.author == right.author && left.entries.count == right.entries.count
        && isSame(left.transactions, right.transactions)
        && isSame(left.tree.map { .dictionary($0.root) }, right.tree.map { .dictionary($0.root) })
        && zip(left.entries, right.entries).allSatisfy { left, right in
            left.key == right.key && isSame(left.value, right.value) && isSame(left.before, right.before)
        }
}

/// A record's checksum is that of the place where it stands.
private func isSame(_ left: JournalTransactions?, _ right: JournalTransactions?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    guard left.position == right.position, left.count == right.count, left.time == right.time,
        left.list?.count == right.list?.count
    else { return false }
    return zip(left.list ?? [], right.list ?? []).allSatisfy { left, right in
        left.time == right.time && left.author == right.author && left.origin == right.origin
            && left.undone == right.undone && left.count == right.count
            && left.mutations?.count == right.mutations?.count
            && zip(left.mutations ?? [], right.mutations ?? []).allSatisfy { left, right in
                left.key == right.key && left.isWithheld == right.isWithheld
                    && isSame(left.oldValue, right.oldValue) && isSame(left.newValue, right.newValue)
            }
    }
}

private func isSame(_ left: JournalEntry.Before, _ right: JournalEntry.Before) -> Bool {
    if case (.value(let left), .value(let right)) = (left, right) { isSame(left, right) } else { left == right }
}

private func isSame(_ left: SettingValue?, _ right: SettingValue?) -> Bool {
    if let left, let right { isSame(left, right) } else { left == nil && right == nil }
}

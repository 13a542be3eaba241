import FoundationEssentials

/// Feeds an input to the journal. The first byte chooses its kind:
///
/// 0: the bytes of a journal. 1: descriptions of records, which are written with valid checksums, so that the code
/// behind the checksums is reached too. 2: the same, with damage described by the first four bytes. 3: the numbers of a
/// header.
///
/// For any input, what is read survives writing and reading unchanged, no end lies beyond the bytes, no damage adds a
/// record, and what is known of the readable file is what a copy of it would have.
func fuzz(_ input: UnsafeBufferPointer<UInt8>) {
    guard !input.isEmpty else { return }
    let kind = input[0] % 4
    let input = Array(input[1...])
    switch kind {
    case 0: check(input)
    case 1: check(journal(describedBy: input[...]))
    case 2: checkDamage(input)
    default: checkHeader(input)
    }
}

private let position = JournalPosition.start(of: 7)

/// - Returns: The records that could be salvaged.
@discardableResult
private func check(_ journal: [UInt8]) -> JournalScan {
    journal.withUnsafeBytes { all in
        let header = try? JournalHeader.decode(all)
        if let header {
            precondition(header.encoded == Array(journal[..<JournalHeader.size]), "a header has changed")
            checkWhole(all, header)
        }
        _ = JournalEnd.version(in: all)
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
        checkKept(salvaged.records.map(\.record.content))
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

// MARK: A journal that has a header

private func checkWhole(_ journal: UnsafeRawBufferPointer, _ header: JournalHeader) {
    let base = min(Int(clamping: header.base), journal.count)
    let scan = JournalScan.salvage(fromBase: UnsafeRawBufferPointer(rebasing: journal[base...]), header)
    let reading = JournalReading(scan)
    // Of a journal that is not understood nothing else is known.
    precondition(reading.newerVersion != nil || reading.lacksDurableEnd == (reading.durableEnd == 0))
    precondition(reading.durableEnd >= 0)
    checkMirrors(reading)
    if let version = JournalEnd.version(in: journal), reading.damage.isEmpty, !reading.isTorn,
        reading.newerVersion == nil
    {
        let state = JournalReplay(reading.records).state
        precondition(state.mirrors.count == 1 && state.mirrors[0].version == version, "another file is the mirror")
        precondition(state.mirrors[0].difference.isEmpty, "the mirror lacks something")
    }
    checkLoading(reading)
    checkRelation(to: reading, header)
    checkPast(journal, header, base)
}

/// What is known of each version of the file is what a copy of it has.
private func checkMirrors(_ reading: JournalReading) {
    let replay = JournalReplay(reading.records)
    var (tree, copies) = (SettingTree(), [(version: FileVersion.absent, tree: SettingTree())])
    var stateFile = StateFile()
    for (_, record) in reading.records {
        let before = tree
        if let batch = record.batch { tree.apply(inOrder: batch.entries.map { ($0.key, $0.value) }) }
        switch record.content {
        case .base(let base):
            // No process writes one that has a place within another one.
            guard base.mirrors.allSatisfy({ isDisjoint($0.difference) }) else { return }
            (tree, stateFile) = (base.tree, StateFile())
            copies = base.mirrors.map { ($0.version, MirrorDifference($0.difference).mirror(of: base.tree)) }
        case .edited(let mirror, _) where mirror.isOfState: break
        case .edited(let mirror, _):
            guard isDisjoint(mirror.difference) else { return }
            copies = [(mirror.version, MirrorDifference(mirror.difference).mirror(of: tree))]
        case .mirroring(let version): copies.append((version, stateFile.rest(of: before)))
        case .mirrored(let version):
            copies = [copies.last { $0.version == version } ?? (version, stateFile.rest(of: before))]
        case .state(let keys): stateFile.add(keys, at: 0, over: tree)
        case .united(let union):
            guard union.mirrors.allSatisfy({ isDisjoint($0.difference) }) else { return }
            copies += union.mirrors.map { ($0.version, MirrorDifference($0.difference).mirror(of: tree)) }
        case .values, .kept, .history, .past: break
        }
    }
    precondition(isAlike(replay.tree, tree), "the values are others")
    precondition(replay.state.mirrors.map(\.version) == copies.map(\.version), "the file may be another one")
    for (mirror, copy) in zip(replay.state.mirrors, copies) {
        precondition(isAlike(mirror.difference.mirror(of: replay.tree), copy.tree), "the file has other values")
    }
}

private func isDisjoint(_ difference: [JournalEntry]) -> Bool {
    let keys = Set(difference.map(\.key))
    return keys.count == difference.count && keys.allSatisfy { $0.parents.allSatisfy { !keys.contains($0) } }
}

private let other = SettingTree(["a": .integer(1), "b": .dictionary(["c": .null])])

private func load(_ reading: JournalReading) -> LoadedValues {
    var reading: JournalReading? = reading
    return LoadedValues(&reading)
}

private func checkLoading(_ reading: JournalReading) {
    let replay = JournalReplay(reading.records)
    let files =
        [(FileVersion(of: [1]), other), (FileVersion(of: [2]), SettingTree())]
        + replay.state.mirrors.prefix(3).map { ($0.version, $0.difference.mirror(of: replay.tree)) }
    for (version, file) in files {
        var loaded = load(reading)
        if replay.state.mirror(version) == nil || !loaded.isWhole {
            loaded.join(file, version) { $0 == $1 }
            precondition(loaded.state.mirrors.map(\.version) == [version], "the file is another one")
            let mirror = loaded.state.mirrors[0].difference.mirror(of: loaded.tree)
            precondition(isAlike(mirror, file), "the file has other values")
        }
        _ = (loaded.keys, loaded.isComplete)
        var earlier = load(reading)
        earlier.use(file)
        precondition(!earlier.isWhole)
    }
    var removed = load(reading)
    removed.removeFile()
    precondition(removed.state.mirrors.map(\.version) == [.absent])
    precondition(removed.state.mirrors[0].difference.mirror(of: removed.tree).root.isEmpty, "no file has values")
}

private func checkRelation(to reading: JournalReading, _ header: JournalHeader) {
    let histories = [header.beginning.history, header.beginning.history &+ 1]
    for history in histories {
        for known in [0, header.beginning.position, .max] {
            let token = ChangeToken(history: history, position: known, checksum: 1)
            let journal = KnownJournal(
                token: token, end: position,
                lineage: JournalLineage(resets: 1, restarts: 1, start: JournalLineage.Start(generation: 3)),
                tree: other, mirrors: JournalState(of: FileVersion(of: [1])).mirrors)
            let relation = journal.relation(to: reading, header, isContinued: false)
            switch relation {
            case .unusable: precondition(reading.isUnusable)
            case .same: preconditionFailure("a journal that is not continued is taken for the same one")
            case .descendant: precondition(history == histories[0])
            case .fork(let base, _):
                let (replay, ancestor) = (JournalReplay(reading.records), journal.ancestor(since: nil, base))
                let union = journal.union(
                    over: replay.tree, replay.state, from: ancestor, reading.records.map(\.record)
                ) { $0 == $1 }
                precondition(union?.batch.entries.isEmpty == false || union?.mirrors.isEmpty != true, "nothing to say")
            case .restored: break
            }
        }
    }
}

private func checkPast(_ journal: UnsafeRawBufferPointer, _ header: JournalHeader, _ base: Int) {
    let bytes = UnsafeRawBufferPointer(rebasing: journal[min(JournalHeader.size, base)..<base])
    let scan = JournalScan.salvage(bytes, at: JournalHeader.size, from: .start(of: header.generation))
    var index = JournalPastIndex(header)
    index.add(scan)
    let records = scan.records.compactMap { _, record in
        if case .past(let transactions) = record.content { transactions } else { nil }
    }
    precondition(index.count == records.count && index.offsets(of: 0..<index.count).count == records.count)
    let place = index.bytes(of: 0..<index.count)
    precondition(place.upperBound <= Int(clamping: header.base) && place.lowerBound >= JournalHeader.size)
    for record in records {
        precondition((0...index.count).contains(index.firstIndex(after: record.position)))
    }
    checkKept(KeptPast(oldest: header.oldest, records: records))
}

private func checkKept(_ past: KeptPast) {
    let key = past.records.lazy.flatMap { $0.list ?? [] }.flatMap { $0.mutations ?? [] }.first?.key
    let ever = HistoryPolicy.Age(seconds: .max)
    for policy in [
        HistoryPolicy.keep(transactions: 2, for: ever), .keep(bytes: 200, for: ever), .keep(for: .hours(1)), .none,
    ] {
        let history = JournalHistory(policy: policy, secrets: ["k"])
        let allowed = past.allowed(by: history, at: 3600, forgetting: key)
        precondition(allowed.records.count <= past.records.count, "there is more past than before")
        precondition(policy.isKept || allowed.records.isEmpty, "something is kept")
        let size = allowed.records.reduce(0) { size, record in
            size + JournalRecord(.past(record), durableEnd: 0).encoded(at: .start(of: 1)).bytes.count
        }
        precondition(size <= policy.bytes, "too much is kept")
        for mutation in allowed.records.lazy.flatMap({ $0.list ?? [] }).flatMap({ $0.mutations ?? [] }) {
            precondition(mutation.key != key, "a key is not forgotten")
        }
        let again = allowed.allowed(by: history, at: 3600, forgetting: key)
        precondition(again.records.count <= allowed.records.count)
        // By a wrong clock, a record may be as new as one before it that has gone.
        guard policy.age == ever, past.records.allSatisfy({ abs($0.time) < 1e15 }) else { continue }
        precondition(again.records.count == allowed.records.count && again.oldest == allowed.oldest)
    }
}

/// Kept values must be restored from the records of a new journal.
private func checkKept(_ contents: [JournalRecord.Content]) {
    var kept = LastGoodValues()
    for content in contents {
        switch content {
        case .values(let batch): for entry in batch.entries { kept.remove(at: entry.key) }
        case .edited(_, let batch): for entry in batch.entries { kept.add(entry.value ?? .null, at: entry.key) }
        case .united(let union): for entry in union.batch.entries { kept.add(entry.value ?? .null, at: entry.key) }
        case .kept(let batch): kept.decide(batch)
        case .base, .mirroring, .mirrored, .history, .state, .past: break
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

// MARK: Journals from descriptions

/// Each record is described by its kind and whether it has transactions, the size and number of its keys, the size of
/// what follows, and these bytes. All records of the past that come first are in front of the base.
private func journal(describedBy input: ArraySlice<UInt8>) -> [UInt8] {
    var journal = [UInt8](repeating: 0, count: JournalHeader.size)
    var chain: UInt64 = 7
    var base: Int?
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
        let kind = 1 + (numbers[0] & 0x3F) % 8
        if kind != JournalRecordHeader.Kind.past.rawValue, base == nil { base = journal.count }
        chain = record.withUnsafeMutableBytes { bytes in
            bytes.store(UInt32(payloadSize), at: 0)
            bytes.store(kind, at: 4)
            bytes.store(numbers[0] >> 6 & 1, at: 5)
            bytes.store(chain, at: 8)
            bytes.store(UInt64(numbers[0] & 0x80 == 0 ? JournalHeader.size : journal.count), at: 16)
            let checksum = JournalRecordHeader.checksum(
                of: UnsafeRawBufferPointer(bytes), generation: 7, offset: journal.count)
            bytes.store(checksum, at: 24)
            return checksum
        }
        journal += record
    }
    let header = JournalHeader(generation: 7, beginning: .beginning(), base: UInt64(base ?? journal.count))
    journal.replaceSubrange(..<JournalHeader.size, with: header.encoded)
    return journal
}

private func checkHeader(_ input: [UInt8]) {
    guard input.count >= 128 else { return }
    let header = input.withUnsafeBytes { bytes in
        func number(_ index: Int) -> UInt64 { bytes.number(UInt64.self, at: 8 * index) }
        return JournalHeader(
            generation: number(0), previousGeneration: number(1), previousEnd: number(2),
            beginning: ChangeToken(history: number(3), position: number(4), checksum: number(5)),
            oldest: ChangeToken(history: number(3), position: number(6), checksum: number(7)),
            lineage: JournalLineage(
                resets: bytes.number(UInt32.self, at: 64), restarts: bytes.number(UInt32.self, at: 68),
                start: JournalLineage.Start(generation: number(13), position: number(14), checksum: number(15)),
                origin: FileVersion(hash: number(11), size: number(12))),
            base: number(10))
    }
    let bytes = header.encoded + input[128...]
    bytes.withUnsafeBytes { bytes in
        let isValid =
            header.generation != 0 && header.beginning.history != 0
            && header.lineage.resets < .max && header.lineage.restarts < .max
            && max(header.beginning.position, header.oldest.position, header.lineage.start.position)
                < JournalHeader.positionLimit
            && header.base >= UInt64(JournalHeader.size) && header.base <= JournalHeader.baseLimit
            && header.base % 8 == 0
        guard let read = try? JournalHeader.decode(bytes) else { return precondition(!isValid, "a header is not read") }
        precondition(isValid && read == header, "a header has changed")
    }
    check(bytes)
}

private func checkDamage(_ input: [UInt8]) {
    guard input.count > 4 else { return }
    let whole = journal(describedBy: input[4...])
    let before = check(whole)
    // The end of a journal that is not understood is not searched, unlike that of a damaged one.
    guard whole.count > JournalHeader.size, before.tail != .newer else { return }
    var damaged = whole
    let place = JournalHeader.size + (Int(input[0]) << 8 | Int(input[1])) % (whole.count - JournalHeader.size)
    if input[2] == 0 { damaged.removeLast(whole.count - place) } else { damaged[place] ^= input[2] }
    if input[3] & 1 == 1 { damaged += [UInt8](repeating: 0, count: 64) }
    for (offset, record) in check(damaged).records {
        guard let same = before.records.first(where: { $0.offset == offset }) else {
            preconditionFailure("damage has made a record")
        }
        precondition(isSame(same.record, record), "damage has changed a record")
    }
}

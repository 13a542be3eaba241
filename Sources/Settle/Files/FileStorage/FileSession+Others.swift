/// What others have written to the journal.
extension FileSession {
    /// Merges what others have appended to the journal since the last time. Needs no lock.
    mutating func mergeNewRecords() throws(StorageError) {
        merge(try fileErrors { (session) throws(FileError) in try session.journal.readNew().records })
    }

    /// The same with little, for a caller that must be quick.
    ///
    /// - Returns: Whether that was all. What can't be read now is read by the next call.
    mutating func mergeFewNewRecords() -> Bool {
        guard case .ready = phase, let news = try? journal.readNew(atMost: 4096) else { return false }
        merge(news.records)
        return news.isAll && journal.isKnown
    }

    mutating func merge(_ records: [(offset: Int, record: JournalRecord)]) {
        for (_, record) in records {
            // Before what it replaces is not known any more.
            if let batch = record.content.batch { remember(batch) }
            if let batch = follow(record.content) { inForce.announce(batch, of: journal.token?.history) }
        }
    }

    /// Follows what a record of others says of the file and the journal.
    ///
    /// - Returns: What it changes.
    private mutating func follow(_ record: JournalRecord.Content) -> JournalBatch? {
        add(record)
        switch record {
        case .values(let batch): return batch
        case .edited(.absent, let batch) where batch.tree != inForce.tree:
            // A process has found the file removed, and did not know what is in force.
            repairs.didTell(edit: .absent)
            file.follow(.absent)
            repairs.add(.storeEverything)
            return nil
        case .edited(let version, let batch):
            file.follow(version)
            repairs.didTell(edit: version)
            return batch
        case .history:
            addSecrets()
            return nil
        case .checkpoint, .kept, .past: return nil
        case .checkpointed(let version, _):
            file.follow(written: version)
            return nil
        }
    }

    /// Merges a journal that goes on where the known one ended. It begins with what is known, in which older values
    /// have newer ones behind them: that is told as it is together, and not one after the other.
    private mutating func mergeContinued(_ records: [(offset: Int, record: JournalRecord)]) {
        begin(with: nil)
        let beginning = records.prefix { $0.record.batch.map { $0.revision == 0 && $0.author == nil } ?? true }
        var known = JournalOverlay()
        for (_, record) in beginning {
            if follow(record.content) != nil { known.add(record.content) }
        }
        // What was kept before may have been forgotten meanwhile: from now on the file of the past tells it.
        if keepsHistory { recent.begin(at: journal.header?.beginning) }
        inForce.announce(known.batch, of: nil)
        merge(Array(records[beginning.endIndex...]))
    }

    /// Goes over to a journal that another process has made, in place of the one that was known or of none.
    mutating func mergeOther() throws(StorageError) {
        let (header, end, token, durableEnd) = (journal.header, journal.end, journal.token, journal.durableEnd)
        let known = contents
        do throws(StorageError) {
            try tryMergingOther()
        } catch {
            // All of it is merged the next time.
            journal.take(header, end, token, durableEnd: durableEnd)
            journal.forget()
            (contents.overlay, contents.kept) = (known.overlay, known.kept)
            (contents.history, contents.listed) = (known.history, known.listed)
            throw error
        }
    }

    private mutating func tryMergingOther() throws(StorageError) {
        let (known, place) = (journal.end, journal.token)
        let (carried, carriedKept, carriedHistory) = (contents.overlay, contents.kept, contents.history)
        let log = try rereadJournal()
        // Unless it has been told already, with the load that found it.
        if !log.damage.isEmpty, !repairs.contains(.replaceJournal) {
            inForce.announce(.unusable(StorageError(.unreadable, try keepEvidence(of: log))))
        }
        guard !log.isUnusable else {
            // It was never begun, or is damaged. The next process to write begins a new one.
            begin(with: nil)
            (contents.overlay, contents.kept, contents.history) = (carried, carriedKept, carriedHistory)
            guard journal.isLocked else { return }
            try fileErrors { (session) throws(FileError) in try session.replaceJournal() }
            repairs.add(.synchronizeNames)
            return
        }
        if place.map({ log.contains($0, journal.header) }) == false { recent.begin(at: journal.token) }
        if journal.end.generation == known.generation, journal.end.offset >= known.offset,
            place.map({ log.contains($0, journal.header) }) ?? true
        {
            // The same one, which was closed in between. Otherwise it is a copy from an earlier time.
            merge(log.records.filter { $0.offset >= known.offset })
            return
        }
        if journal.header?.previousGeneration == known.generation, known.generation != 0,
            journal.header?.previousEnd == UInt64(known.offset)
        {
            mergeContinued(log.records)
            return
        }
        if isFork(from: known) { return mergeFork(log) }
        if case .checkpointed(file.version, _)? = log.records.first?.record.content, known.generation == 0,
            carried.isEmpty
        {
            // It begins with the file that is known.
            begin(with: nil)
            merge(log.records)
            return
        }
        recent.begin(at: journal.token)
        let reading = try readKnown()
        let replay = JournalReplay(records: log.records, file: reading?.version ?? .absent)
        if reading == nil, replay.match != .current, file.version != .absent {
            // It has been removed, so that the version before has to lead to what the journal has changed.
            begin(with: log)
            followVersions(in: log)
            try deliver(withoutFile: log)
            repairs.add(.storeEverything)
            return
        }
        var tree = SettingTree()
        if let reading {
            do {
                tree = try decode(reading.bytes)
            } catch {
                begin(with: log)
                followVersions(in: log)
                try deliver(withoutFile: log)
                reject(reading, error)
                return
            }
        }
        begin(with: log)
        _ = replay.apply(to: &tree) { [self] in isSame($0, $1) }
        let isAnew = journal.header?.previousGeneration == 0 && !inForce.tree.root.isEmpty && log.beginsWithoutFile
        file.didMerge(reading, reading?.version ?? .absent)
        if journal.header?.previousGeneration == 0, let batch = carriedKept.batch {
            contents.kept.decide(batch)
            repairs.tell(.kept(batch))
        }
        if isAnew {
            if inForce.unite(with: tree, mentioning: log.keys) { repairs.add(.storeEverything) }
            return
        }
        if replay.match != .current { tell(ofEdit: file.version, leadingTo: tree, nil) }
        if journal.header?.previousGeneration == 0, !carried.isEmpty {
            // No checkpoint has put what the lost journal had into the file. What the new one has was written later.
            var lost = carried.without(log.keys, whereTreeDiffersFrom: tree)
            if replay.match != .current { lost = carried.tree == nil ? lost.unedited(in: tree) : JournalOverlay() }
            lost.apply(to: &tree)
            tellAgain(lost)
            contents.overlay.add(lost.batch)
        }
        inForce.announce(.everything(tree))
    }

    /// Tells what the journal says while the file can't be read: all values, if the version before leads to them, or
    /// where there is none, the journal alone.
    private mutating func deliver(withoutFile log: JournalReading) throws(StorageError) {
        let earlier = try earlierVersion()
        guard let batches = JournalReplay.batches(from: earlier?.version ?? .absent, in: log.records) else {
            inForce.announce(contents.overlay.batch, of: nil)
            return
        }
        var tree = earlier?.tree ?? SettingTree()
        JournalOverlay(batches).apply(to: &tree)
        inForce.announce(.everything(tree))
    }

    private mutating func followVersions(in log: JournalReading) {
        var newest = file.version
        for (_, record) in log.records {
            switch record.content {
            case .edited(let version, _), .checkpointed(let version, _): newest = version
            case .values, .checkpoint, .kept, .history, .past: break
            }
        }
        file.follow(newest)
    }
}

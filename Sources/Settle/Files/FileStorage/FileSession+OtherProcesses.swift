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

    /// How a journal that was found relates to the one that this process knew.
    private enum JournalRelation {
        /// It was never begun, or is damaged.
        case unusable
        /// The same one, which was closed in between.
        case same
        /// A new one that begins where the known one has ended.
        case continuation
        /// It goes on from one before the end of what is known.
        case fork
        /// The first one, which begins with the known version of the file.
        case first
        /// Nothing of it is known: another process has replaced or lost the journal, or a copy was put back.
        case unrelated
    }

    /// - Parameters:
    ///   - known: The end of the known journal, and the token there.
    ///   - carried: What the known journal had and the file does not.
    private func relation(
        of log: JournalReading, to known: (end: JournalPosition, token: ChangeToken?), carrying carried: JournalOverlay
    ) -> JournalRelation {
        let header = journal.header
        if log.isUnusable { return .unusable }
        // Otherwise it is a copy from an earlier time.
        let hasKnownToken = known.token.map { log.contains($0, header) } ?? true
        if hasKnownToken, journal.end.generation == known.end.generation, journal.end.offset >= known.end.offset {
            return .same
        }
        if known.end.generation != 0, header?.previousGeneration == known.end.generation,
            header?.previousEnd == UInt64(known.end.offset)
        {
            return .continuation
        }
        if isFork(from: known.end) { return .fork }
        if case .checkpointed(file.version, _)? = log.records.first?.record.content, known.end.generation == 0,
            carried.isEmpty
        {
            return .first
        }
        return .unrelated
    }

    private mutating func tryMergingOther() throws(StorageError) {
        let known = (end: journal.end, token: journal.token)
        let carried = contents
        let log = try rereadJournal()
        // Unless the load that found the damage has reported it already.
        if !log.damage.isEmpty, !repairs.contains(.replaceJournal) {
            inForce.announce(.unusable(StorageError(.unreadable, try keepEvidence(of: log))))
        }
        let relation = relation(of: log, to: known, carrying: carried.overlay)
        if relation != .unusable, let token = known.token, !log.contains(token, journal.header) {
            recent.begin(at: journal.token)
        }
        switch relation {
        case .unusable: try replaceUnusable(carrying: carried)
        case .same: merge(log.records.filter { $0.offset >= known.end.offset })
        case .continuation: mergeContinued(log.records)
        case .fork: mergeFork(log)
        case .first:
            begin(with: nil)
            merge(log.records)
        case .unrelated: try mergeUnrelated(log, carrying: carried)
        }
    }

    /// Keeps what is known. The next process that writes begins a new journal with it: this one, if it has the lock.
    private mutating func replaceUnusable(carrying carried: JournalContents) throws(StorageError) {
        begin(with: nil)
        (contents.overlay, contents.kept, contents.history) = (carried.overlay, carried.kept, carried.history)
        guard journal.isLocked else { return }
        try fileErrors { (session) throws(FileError) in try session.replaceJournal() }
        repairs.add(.synchronizeNames)
    }

    /// Merges a journal of which nothing is known: the file and the journal together are what is stored.
    ///
    /// Values could be lost in two ways, which the user of the process that had them would notice after the next launch:
    /// the lost journal had values that no checkpoint has put into the file (`carried`), or the file is gone as well
    /// and only the memory of this process has the values.
    private mutating func mergeUnrelated(
        _ log: JournalReading, carrying carried: JournalContents
    ) throws(StorageError) {
        recent.begin(at: journal.token)
        let reading = try readKnown()
        let replay = JournalReplay(records: log.records, file: reading?.version ?? .absent)
        if reading == nil, replay.match != .current, file.version != .absent {
            // The file was removed, so the previous version has to lead to what the journal has changed.
            try mergeWithoutFile(log)
            repairs.add(.storeEverything)
            return
        }
        var tree = SettingTree()
        if let reading {
            do {
                tree = try decode(reading.bytes)
            } catch {
                try mergeWithoutFile(log)
                return reject(reading, error)
            }
        }
        begin(with: log)
        _ = replay.apply(to: &tree) { [self] in isSame($0, $1) }
        file.didMerge(reading, reading?.version ?? .absent)
        let followsNone = journal.header?.previousGeneration == 0
        if followsNone, let batch = carried.kept.batch {
            contents.kept.decide(batch)
            repairs.tell(.kept(batch))
        }
        if followsNone, !inForce.tree.root.isEmpty, log.beginsWithoutFile {
            // Whoever made it knew nothing of the values that are in force here.
            if inForce.unite(with: tree, mentioning: log.keys) { repairs.add(.storeEverything) }
            return
        }
        if replay.match != .current { tell(ofEdit: file.version, leadingTo: tree, nil) }
        if followsNone, !carried.overlay.isEmpty {
            // No checkpoint has put what the lost journal had into the file. What the new one has was written later.
            var lost = carried.overlay.without(log.keys, whereTreeDiffersFrom: tree)
            if replay.match != .current {
                lost = carried.overlay.tree == nil ? lost.unedited(in: tree) : JournalOverlay()
            }
            lost.apply(to: &tree)
            tellAgain(lost)
            contents.overlay.add(lost.batch)
        }
        inForce.announce(.everything(tree))
    }

    /// Merges what the journal says while the file can't be read: all values, if the previous version leads to them or
    /// there is none; otherwise the journal alone.
    private mutating func mergeWithoutFile(_ log: JournalReading) throws(StorageError) {
        begin(with: log)
        followVersions(in: log)
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

/// What others have written to the journal.
extension FileSession {
    /// Merges what others have appended to the journal since the last time. Needs no lock.
    ///
    /// What a load has found in the file comes last until the journal has been told. But a process that has written what
    /// stands in the file has seen that, or something newer; and one that has written has open what had been removed.
    mutating func mergeNewRecords() throws(StorageError) {
        let known = journal.end.offset
        var reader = journal
        let records = try fileErrors { (_) throws(FileError) in try reader.readNew().records }
        let edits = untold.filter(\.isOfFile)
        if !records.isEmpty,
            edits.contains(where: \.isRemoval) || !edits.isEmpty && records.contains(where: \.record.content.isOfFile)
        {
            return takeBackEdits(try rereadJournal(), behind: known)
        }
        journal = reader
        merge(records)
        for record in edits {
            guard let batch = record.batch, inForce.tree.isChanged(by: batch) else { continue }
            state.add(record.brought(upTo: state), at: journal.end.offset, over: inForce.tree)
            inForce.announce(.values(batch.values))
        }
    }

    /// Merges what others have appended, over the journal's values instead of those that a load has found.
    private mutating func takeBackEdits(_ log: JournalReading, behind end: Int) {
        let news = log.records.filter { $0.offset >= end }
        let known = JournalReplay(log.records.prefix { $0.offset < end })
        untold.removeAll(where: \.isOfFile)
        guard known.hasBase else { return merge(news) }
        var told = inForce.tree
        (inForce.tree, state) = (known.tree, known.state)
        for record in untold {
            state.add(record, at: end, over: inForce.tree)
            inForce.tree = record.batch.map(inForce.tree.with) ?? inForce.tree
        }
        file.follow(state.mirrors[0].version)
        merge(news)
        for (_, record) in news { told = record.batch.map(told.with) ?? told }
        let rest = TreeDifference(from: told, to: inForce.tree)
        if !rest.isEmpty { inForce.announce(.values(rest.batch.values)) }
    }

    /// The same with little, for a caller that must be quick.
    ///
    /// - Returns: Whether that was all. What can't be read now is read by the next call.
    mutating func mergeFewNewRecords() -> Bool {
        guard case .ready = phase, untold.isEmpty, let news = try? journal.readNew(atMost: 4096) else { return false }
        merge(news.records)
        return news.isAll && journal.isKnown
    }

    private mutating func merge(_ records: [(offset: Int, record: JournalRecord)]) {
        for (offset, record) in records {
            // Before what it replaces is not known any more.
            if let batch = record.content.batch { remember(batch) }
            if let batch = follow(record.content, at: offset) { inForce.announce(batch, of: journal.token?.history) }
        }
    }

    /// Follows what a record of others says of the file and the journal.
    ///
    /// - Returns: What it changes.
    private mutating func follow(_ record: JournalRecord.Content, at offset: Int) -> JournalBatch? {
        if record.isRemoval, let batch = record.batch, inForce.tree.isChanged(by: batch) {
            // A process has found the file removed, and did not know that this one has it open.
            repairs.formUnion([.replaceJournal, .restoreFile])
            return nil
        }
        state.add(record, at: offset, over: inForce.tree)
        switch record {
        case .values(let batch): return batch
        case .edited(let mirror, let batch):
            file.follow(mirror.version)
            return batch
        case .mirrored(let version):
            file.follow(written: version)
            return nil
        case .history:
            addSecrets()
            return nil
        case .base, .mirroring, .kept, .past: return nil
        }
    }

    // MARK: Another journal

    /// Goes over to a journal that another process has made, in place of the one that was known or of none.
    mutating func mergeOther() throws(StorageError) {
        let known = (journal, state)
        do throws(StorageError) {
            try tryMergingOther()
        } catch {
            // All of it is merged the next time.
            journal.take(
                known.0.header, known.0.end, known.0.token, durableEnd: known.0.durableEnd,
                beginningEnd: known.0.beginningEnd)
            journal.forget()
            state = known.1
            throw error
        }
    }

    private var knownJournal: KnownJournal {
        var lineage = journal.lineage
        if state.isReset { lineage.resets += 1 }
        return KnownJournal(
            token: journal.token, end: journal.end, lineage: lineage, restart: journal.restart, tree: inForce.tree,
            mirrors: state.mirrors)
    }

    private mutating func tryMergingOther() throws(StorageError) {
        let known = knownJournal
        let log = try rereadJournal()
        if log.lacksDurableEnd { repairs.insert(.synchronizeNames) }
        if !log.damage.isEmpty, !repairs.contains(.replaceJournal) {
            repairs.formUnion([.replaceJournal, .setJournalAside])
            inForce.announce(.unusable(StorageError(.unreadable, log.description(names.journal))))
            journal.leaveGap()
        }
        // A damaged one does not have the place behind what it has lost, and is replaced with all that is known here.
        let isContinued = try fileErrors(as: StorageError.unreadable) { (session) throws(FileError) in
            try session.journal.continues(known.end, isDamaged: session.repairs.contains(.replaceJournal))
        }
        switch known.relation(to: log, journal.header, isContinued: isContinued) {
        case .unusable:
            // What is known counts. The next process that writes begins a new journal with it.
            repairs.formUnion([.replaceJournal, .synchronizeNames])
        case .same: merge(log.records.filter { $0.offset >= known.end.offset })
        case .descendant:
            if let token = known.token, !log.contains(token, journal.header) { history.recent.begin(at: journal.token) }
            adopt(log)
        case .fork(let ancestor) where !journal.isReadOnly:
            history.recent.begin(at: journal.token)
            let ours = TreeDifference(from: ancestor, to: inForce.tree)
            let mirror = (version: file.version, tree: state.mirror(file.version)?.difference.mirror(of: inForce.tree))
            adopt(log)
            unite(ours, ancestor, log)
            guard let tree = mirror.tree, state.mirror(mirror.version) == nil else { return }
            // The file may be the version that only this process knows, which is no edit then.
            let difference = MirrorDifference(from: inForce.tree, to: tree) { [spelling] in spelling.isSame($0, $1) }
            state.mayBe(mirror.version, difference)
            repairs.insert(.replaceJournal)
        case .fork, .restored:
            // Without permission to write, too: nobody else would ever have what is united here.
            lastBatch = nil
            history.recent.begin(at: journal.token)
            adopt(log)
        }
    }

    /// Takes over all that a journal says.
    private mutating func adopt(_ log: JournalReading) {
        let beginning = log.records.prefix { record in record.record.batch == nil }
        let replay = JournalReplay(beginning)
        let rest = untold.filter { !$0.isOfFile }
        (state, untold) = (replay.state, [])
        if repairs.contains(.replaceJournal), !replay.hasBase {
            // What it lacks is known here.
            merge(log.records)
        } else {
            let difference = TreeDifference(from: inForce.tree, to: replay.tree)
            if !difference.isEmpty { inForce.announce(.values(difference.batch.values)) }
            merge(Array(log.records[beginning.endIndex...]))
        }
        for record in rest {
            tell(record)
            if let batch = record.batch { inForce.announce(.values(batch.values)) }
        }
        if keepsHistory { history.recent.begin(at: journal.token) }
        addSecrets()
        file.follow(state.mirrors[0].version)
    }

    /// Puts what was in force here over what a journal has that began without it, except where that is newer.
    private mutating func unite(_ ours: TreeDifference, _ ancestor: SettingTree, _ log: JournalReading) {
        let written = log.records.flatMap { $0.record.batch?.entries.map(\.key) ?? [] }
        let theirs = Set(TreeDifference(from: ancestor, to: inForce.tree).changes.map(\.key) + written)
        let outer = theirs.reduce(into: Set<SettingKey>()) { $0.formUnion($1.parents) }
        var values: [SettingKey: SettingValue?] = [:]
        for (key, _, new) in ours.changes
        where !theirs.contains(key) && !outer.contains(key) && !key.parents.contains(where: theirs.contains) {
            values.updateValue(new, forKey: key)
        }
        guard !values.isEmpty else { return }
        var batch = JournalBatch(
            revision: 0, entries: values.sorted(by: \.key).map { JournalEntry(key: $0.key, value: $0.value) })
        batch.transactions = transactions(ofEdit: batch, over: inForce.tree)
        tell(.values(batch))
        inForce.announce(.values(values))
    }
}

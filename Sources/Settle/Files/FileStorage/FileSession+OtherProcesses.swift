/// Records that others have written to the journal.
extension FileSession {
    /// Merges the records that others have appended to the journal since the last call. Needs no lock.
    ///
    /// An edit that a load has found in the file comes last until it is recorded in the journal. There are two
    /// exceptions. A process that has recorded the contents of the file has seen the edit, or something newer. A
    /// process that has written has files open that had been found removed.
    ///
    /// - Parameter canUnite: Whether the lock of the journal at the path is held. Otherwise records after a removal by
    ///   a process that did not know of this one wait until the values in force here can be put beside it.
    mutating func mergeNewRecords(canUnite: Bool = false) throws(StorageError) {
        let known = journal.place
        var reader = journal
        var records = try StorageError.saving(names.file, reader.readNew().records)
        if !canUnite, !journal.isReadOnly, !untold.contains(where: \.isReset),
            let reset = records.first(where: \.record.content.isReset)
        {
            repairs.insert(.restoreFile)
            reader = journal
            records = try StorageError.saving(
                names.file, reader.readNew(atMost: reset.offset - known.offset).records)
        }
        try mergeNew(records, behind: known, in: reader)
    }

    private mutating func mergeNew(
        _ records: [(offset: Int, record: JournalRecord)], behind known: JournalFile.Place,
        in reader: JournalFile
    ) throws(StorageError) {
        let edits = untold.filter(\.isOfFile)
        if !records.isEmpty,
            edits.contains(where: \.isRemoval) || !edits.isEmpty && records.contains(where: \.record.content.isOfFile)
        {
            return try takeBackEdits(behind: known)
        }
        journal = reader
        merge(records, behind: known.token)
        for record in edits {
            guard let batch = record.batch, inForce.tree.isChanged(by: batch) else { continue }
            state.add(record.brought(upTo: state), at: journal.end.offset, over: inForce.tree)
            inForce.announce(.values(batch.values))
        }
    }

    /// Discards the edits that a load has found in the file, because others have checked the file or it has changed
    /// again, and merges the records that others have appended over the journal's values.
    mutating func takeBackEdits(behind place: JournalFile.Place) throws(StorageError) {
        guard journal.isKnown, untold.contains(where: \.isOfFile) else { return }
        let log = try rereadJournal()
        let news = log.records.filter { $0.offset >= place.offset }
        var known = JournalReplay(log.records.prefix { $0.offset < place.offset })
        let hasFoundRemoval = untold.contains(where: \.isReset)
        untold.removeAll(where: \.isOfFile)
        guard known.hasBase else { return merge(news, behind: place.token) }
        for record in untold { known.add(record, at: place.offset) }
        var told = inForce.tree
        (inForce.tree, state, seenState) = (known.tree, known.state, nil)
        file.follow(state.mirrors[0].version)
        merge(news, behind: place.token, hasFoundRemoval: hasFoundRemoval)
        for (_, record) in news { told = record.batch.map(told.with) ?? told }
        inForce.announceChanges(from: told, to: inForce.tree)
    }

    /// Merges at most 4 KiB, for a caller that must be quick.
    ///
    /// - Returns: Whether nothing is left. Records that can't be read now are read by the next call.
    mutating func mergeFewNewRecords() -> Bool {
        var reader = journal
        guard case .ready = phase, untold.isEmpty, let news = try? reader.readNew(atMost: 4096),
            !news.records.contains(where: \.record.content.isReset)
        else { return false }
        journal = reader
        follow(news.records)
        return news.isAll && journal.isKnown
    }

    /// - Parameter hasFoundRemoval: Whether this process has also found the file removed when it loaded it: then it has
    ///   nothing to put beside the values of the process that recorded the removal first.
    private mutating func merge(
        _ records: [(offset: Int, record: JournalRecord)], behind token: ChangeToken?, hasFoundRemoval: Bool = false
    ) {
        let index = records.firstIndex(where: \.record.content.isReset)
        guard let index, !journal.isReadOnly else { return follow(records) }
        if hasFoundRemoval {
            follow(records[...index])
            return merge(Array(records[(index + 1)...]), behind: Array(records[...index]).token(after: token))
        }
        // A process has found the file removed, and did not know that this process has it open.
        follow(records[..<index])
        var (known, removal) = (knownJournal, records[index].record)
        known.token = Array(records[..<index]).token(after: token)
        state.add(removal.content, at: records[index].offset, over: inForce.tree)
        if let batch = removal.batch { inForce.tree = inForce.tree.with(batch) }
        repairs.insert(.restoreFile)
        let rest = Array(records[(index + 1)...])
        merge(rest, behind: Array(records[...index]).token(after: token))
        if let batch = unite(known, from: SettingTree(), rest) { inForce.keep(batch) }
    }

    private mutating func follow(_ records: some Sequence<(offset: Int, record: JournalRecord)>) {
        for (offset, record) in records {
            // Before the values that it replaces are lost.
            if let batch = record.batch, let id = journal.token?.history {
                history.recent.add(batch, of: id, over: inForce.tree)
            }
            state.add(record.content, at: offset, over: inForce.tree)
            switch record.content {
            case .edited(let mirror, _): if !mirror.isOfState { file.follow(mirror.version) }
            case .mirrored(let version): file.follow(written: version)
            case .history: addSecrets()
            case .base, .values, .mirroring, .kept, .united, .state, .past: break
            }
            if let batch = record.batch { inForce.announce(batch, of: journal.token?.history) }
        }
    }

    // MARK: Another journal

    /// Switches to a journal that another process has made, in place of the known one or of none.
    mutating func mergeOther() throws(StorageError) {
        let known = (journal, state)
        do throws(StorageError) {
            try tryMergingOther()
        } catch {
            // All of it is merged the next time.
            journal.goBack(to: known.0)
            state = known.1
            throw error
        }
    }

    private var knownJournal: KnownJournal {
        var lineage = journal.lineage
        if state.isReset { lineage.resets += 1 }
        return KnownJournal(
            token: journal.token, end: journal.end, lineage: lineage, earlier: journal.lineages,
            tree: inForce.tree, mirrors: state.mirrors, file: file.version, stateFile: state.stateFile)
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
        // A damaged journal lacks the position after its lost records, and is replaced with everything that is known
        // here.
        let isContinued = try StorageError.reading(
            names.file, journal.continues(known.end, isDamaged: repairs.contains(.replaceJournal)))
        switch known.relation(to: log, journal.header, isContinued: isContinued) {
        case .unusable:
            // The known values count. The next process that writes begins a new journal with them. Tokens of the old
            // journal don't lead there.
            if log.damage.isEmpty { journal.leaveGap() }
            history.recent.begin(at: journal.token)
            repairs.formUnion([.replaceJournal, .synchronizeNames])
        case .same:
            try mergeNew(
                log.records.filter { $0.offset >= known.end.offset }, behind: (known.end.offset, known.token),
                in: journal)
        case .descendant:
            if let token = known.token, !log.contains(token, journal.header) { history.recent.begin(at: journal.token) }
            adopt(log)
        case .fork(let tree, let place) where !journal.isReadOnly:
            let start = place.flatMap { lost?.tree(at: $0, or: tree, limit: Self.journalSizeLimit) }
            history.recent.begin(at: journal.token)
            adopt(log)
            if let batch = unite(known, from: known.ancestor(since: start, tree), log.records) { inForce.keep(batch) }
        case .fork, .restored:
            // Even without permission to write: no other process would ever have the united values.
            lastBatch = nil
            history.recent.begin(at: journal.token)
            adopt(log)
        }
    }

    /// Adopts everything that a journal records.
    private mutating func adopt(_ log: JournalReading) {
        let beginning = log.records.prefix { record in record.record.batch == nil }
        let replay = JournalReplay(beginning)
        let rest = untold.filter { !$0.isOfFile }
        let known = state.history
        (state, untold) = (replay.state, [])
        if repairs.contains(.replaceJournal), !replay.hasBase {
            // The values that it lacks are known here.
            follow(log.records)
        } else {
            inForce.announceChanges(from: inForce.tree, to: replay.tree)
            follow(log.records[beginning.endIndex...])
        }
        for record in rest {
            tell(record.brought(upTo: state))
            if let batch = record.batch { inForce.announce(.values(batch.values)) }
        }
        // A process that found nothing, or a backup, does not end the history.
        if state.history == nil, let known, known.policy.isKept { tell(.history(known)) }
        if keepsHistory { history.recent.begin(at: journal.token) }
        addSecrets()
        file.follow(state.mirrors[0].version)
        seenState = nil
    }

    /// Records in the journal the values that were in force here and are put beside those of others.
    ///
    /// - Returns: The resulting changes.
    private mutating func unite(
        _ known: KnownJournal, from ancestor: SettingTree, _ records: [(offset: Int, record: JournalRecord)]
    ) -> JournalBatch? {
        let records = records.map(\.record)
        guard var union = known.union(over: inForce.tree, state, from: ancestor, records, spelling.isSame) else {
            return nil
        }
        let changesNothing = union.batch.entries.isEmpty
        if !changesNothing {
            union.batch.transactions = history.transaction(ofEdit: union.batch, over: inForce.tree, state.history)
        }
        tell(.united(union))
        return changesNothing ? nil : union.batch
    }
}

extension FileSession {
    /// Appends a batch to the journal, behind what others have appended.
    mutating func append(_ batch: StorageBatch) throws(StorageError) {
        guard !batch.values.isEmpty || !batch.conditions.isEmpty, batch.id != lastBatch else { return }
        try spelling.check(batch)
        try acquire()
        defer { release() }
        try check(batch.conditions)
        guard !batch.values.isEmpty else { return }
        renewIfWorthwhile()
        let replaced = inForce.valuesReplaced(by: batch)
        var batch = batch
        if replaced != batch.expectedValues {
            batch.transactions = batch.transactions.rebased(over: inForce.tree, storing: batch.values)
        }
        let entries = batch.values.sorted(by: \.key).map { JournalEntry(key: $0, value: $1) }
        let record = try record(of: batch, entries)
        let start = journal.end.offset
        do throws(StorageError) {
            try append(.values(record))
        } catch {
            // Without room or permission no valid record was written.
            throw error.leavingOutcomeUnknown(![.noSpace, .permissionDenied, .unsupportedValue].contains(error.code))
        }
        lastBatch = batch.id
        if record.transactions?.list == nil {
            let size = max(0, journal.end.offset - start)
            history.recent.add(record, upTo: journal.token, replacing: replaced, size: size)
        }
        state.add(.values(record), at: start, over: inForce.tree)
        inForce.didAppend(record)
    }

    /// The same, and makes it stable with everything that was appended before.
    mutating func appendDurably(_ batch: StorageBatch) throws(StorageError) {
        try append(batch)
        do throws(StorageError) {
            try makeDurable()
            // The journal may just have been replaced by a backup.
            if lastBatch == nil, !batch.values.isEmpty {
                try append(batch)
                try makeDurable()
            }
        } catch {
            inForce.didNotSync(batch)
            throw error.leavingOutcomeUnknown()
        }
        inForce.didSync(batch)
    }

    /// Requires the lock.
    private func check(_ conditions: [StorageBatch.Condition]) throws(StorageError) {
        for case .at(let position) in conditions where position != inForce.position {
            throw StorageError(.conflict, "“\(path)” has changed since the values were read.")
        }
        for case .migrated(let known) in conditions {
            let foreign = MigrationRecord(in: inForce.tree).foreignStep(besides: known)
            if let foreign { throw .migrated(by: foreign) }
        }
        for case .under(let lease) in conditions { try checkLock(lease) }
    }

    /// Makes everything stable that was appended.
    mutating func makeDurable() throws(StorageError) {
        if journal.needsReplacement || !repairs.isDisjoint(with: [.replaceJournal, .healFile]) {
            // Taking the lock does what is left to be done.
            try acquire()
            release()
        }
        try synchronize()
        try verify()
    }

    /// A record of a batch that a reader accepts. What its transactions did is left out if it would make the record too
    /// long.
    private func record(of batch: StorageBatch, _ entries: [JournalEntry]) throws(StorageError) -> JournalBatch {
        var record = JournalBatch(revision: batch.revision, author: batch.author, entries: entries)
        record.transactions = history.transactions(of: batch, state.history)
        guard record.roughSize > JournalRecord.payloadLimit / 2 else { return record }
        record.transactions?.list = nil
        let size = record.roughSize
        guard size < JournalRecord.payloadLimit else { throw .tooLarge(path, toHold: size) }
        return record
    }
}

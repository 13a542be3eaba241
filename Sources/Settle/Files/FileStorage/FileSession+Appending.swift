extension FileSession {
    /// Appends a batch to the journal, after the batches that others have appended.
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

    /// Appends a batch as `append` does, and makes it durable with all earlier appends.
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
            try inForce.tree.checkMigrations(within: known)
        }
        for case .under(let lease) in conditions { try checkLock(lease) }
    }

    /// Makes everything that was appended durable.
    ///
    /// - Parameter includesOthers: Whether to sync also if this process has stored nothing itself since it loaded the
    ///   file. It may have recorded an edit, whose values are in the file.
    mutating func makeDurable(includesOthers: Bool = true) throws(StorageError) {
        if journal.needsReplacement || !repairs.isDisjoint(with: [.replaceJournal, .healFile]) {
            // Taking the lock carries out the pending repairs.
            try acquire()
            release()
        }
        if includesOthers || hasWritten { try synchronize() }
        try verify()
    }

    /// Returns a record of a batch that a file could hold. The transactions are not listed if that would make the
    /// record too long.
    private func record(of batch: StorageBatch, _ entries: [JournalEntry]) throws(StorageError) -> JournalBatch {
        var record = JournalBatch(revision: batch.revision, author: batch.author, entries: entries)
        record.transactions = history.transactions(of: batch, state.history)
        guard record.roughSize > Self.sizeLimit / 2 else { return record }
        record.transactions?.list = nil
        let size = record.roughSize
        guard size < Self.sizeLimit else { throw .tooLarge(path, toHold: size) }
        return record
    }
}

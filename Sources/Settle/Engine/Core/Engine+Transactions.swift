extension Engine {
    /// Runs a transaction, or a part of the one in progress on this thread.
    final func transact<Result>(
        origin: ValueOrigin, author name: String?, domain: DomainIdentity? = nil, _ body: () throws -> Result
    ) throws -> Result {
        try transact(origin: origin, author: name, domain: domain, failing: { $0 }, body)
    }

    /// - Parameters:
    ///   - domain: The domain that has changed, if it is another one than the application's.
    ///   - failing: Converts an error of the store to one that the closure may throw.
    final func transact<Result, Failure: Error>(
        origin: ValueOrigin, author name: String?, domain: DomainIdentity? = nil, failing: (SettingsError) -> Failure,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        writer.lock()
        defer { writer.unlock() }
        guard mode != .closed else { throw failing(.closed(key: nil)) }
        if let refusal, origin == .local || origin == .reset { throw failing(refusal) }
        if transaction == nil {
            transaction = Transaction(origin: origin, author: name, domain: domain)
            mode = .transaction
            RunningUpdates.begin(self)
        }
        transaction?.begin(afterWritesElsewhere: RunningUpdates.writesElsewhere(in: self))
        do throws(Failure) {
            let result = try body()
            // Coders, rules and == of the program may assign values, which may be refused. Changes of others stay then.
            let isOwn = origin == .local || origin == .reset
            if isOwn, let violation = transaction?.violation { throw failing(violation) }
            if transaction?.isOutermost == true {
                if isOwn, let excess { throw failing(excess) }
                let plan = planOfTransaction()
                if let violation = transaction?.violation {
                    guard !isOwn else { throw failing(violation) }
                    reportAfterUnlock(violation)
                }
                if let plan { publish(plan) }
            } else {
                if let violation = transaction?.violation { reportAfterUnlock(violation) }
                let settled = transaction?.keep()
                withExtendedLifetime(settled) {}
            }
            return result
        } catch {
            undoTransaction()
            throw error
        }
    }

    /// The reason why the storage could not store the transaction at once; `nil` if it can. Requires the writer's lock.
    ///
    /// A single value that is too large does not concern transactions: it stays in force, and is refused when it is
    /// saved. Only a commit is undone with it.
    private final var excess: SettingsError? {
        guard let transaction else { return nil }
        let count = transaction.keyCount
        guard count > 1 || transaction.isCommit else { return nil }
        if count > keyLimit {
            let count = storedCount(of: transaction)
            if count > keyLimit { return .tooManyKeys(count, limit: keyLimit) }
        }
        guard byteLimit < .max else { return nil }
        // Encoding runs foreign code, whose writes belong to the transaction.
        for _ in 1...Self.planLimit {
            let stagings = transaction.stagings
            var total = 0
            for box in transaction.boxes {
                let size = size(of: box)
                total += size
                guard size > byteLimit, transaction.isCommit, let slot = box.existingPlacement?.slot else { continue }
                let reason = StorageError.tooLarge(size, limit: byteLimit)
                return .commitUndone(.encodingFailed(key: slot.key, isSecret: slot.isSecret, reason))
            }
            if total > byteLimit { return .tooManyBytes(total, limit: byteLimit) }
            if transaction.stagings == stagings { break }
        }
        return nil
    }

    /// Returns the number of keys that the storage has to change. A reset also stages settings that have their default.
    private final func storedCount(of transaction: Transaction) -> Int {
        let others = transaction.keyCount - transaction.boxes.count
        return log.lock.withLock {
            others
                + transaction.boxes.count { box in
                    guard let slot = box.existingPlacement?.slot, slot.schedule != nil, box.staged?.isReplaced != true
                    else { return false }
                    return box.staged?.isStored == true || slot.isStored
                }
        }
    }

    /// Returns the bytes that a staged value takes in the storage. A value that can't be encoded is reported when it is
    /// saved.
    private final func size(of box: AnySettingBox) -> Int {
        guard box.staged?.isStored == true, box.staged?.isReplaced == false,
            box.existingPlacement?.slot.schedule != nil, let value = box.visibleOwnValue
        else { return 0 }
        return (try? box.encoder(value))?.roughSize ?? 0
    }

    /// Restores the state that the innermost level of the transaction found. Requires the writer's lock.
    ///
    /// Releasing a value may run foreign code, which may write. So the values are released last, when the level has
    /// ended.
    private final func undoTransaction() {
        guard let level = transaction?.endLevel() else { return }
        if RunningUpdates.writesElsewhere(in: self) > level.writesElsewhere {
            reportAfterUnlock(.partlyUndone)
        }
        let dropped = level.undo.reversed().map { $0.box.exchangeStaged($0.state) }
        let ended = transaction?.isEmpty == true ? endTransaction() : nil
        withExtendedLifetime((level, dropped, ended)) {}
    }

    /// Ends the transaction, so that the next write starts a new one. Requires the writer's lock.
    ///
    /// - Returns: The rest of it, to be released by the caller.
    private final func endTransaction() -> (Transaction?, forgotten: [AnySettingBox]) {
        var ended: Transaction?
        swap(&transaction, &ended)
        mode = idleMode
        RunningUpdates.end(self)
        if log.recordsReads, ended != nil { readsOfLast = ended?.allReads }
        let keyed = ended?.keyed ?? []
        return (ended, keyed.isEmpty ? [] : log.forgetIdle(keyed))
    }

    /// Records that the commit in progress on this thread, if any, has read a key.
    ///
    /// - Parameter key: The key, with everything within it; `nil` if it has read anything.
    final func recordRead(of key: SettingKey?) {
        guard log.recordsReads, writer.isHeldByCurrentThread, transaction?.isCommit == true else { return }
        if let key { transaction?.reads?.insert(key) } else { transaction?.reads = nil }
    }

    /// Handles the error of an assignment that can't throw. Requires the writer's lock.
    final func refuse(_ error: SettingsError) {
        if transaction != nil {
            transaction?.refuse(error)
        } else {
            if refusal != nil { refusedAssignment.withLock { $0 = error } }
            reportAfterUnlock(error)
        }
    }

    /// Makes everything that the transaction has staged visible, in one step, and ends it. Requires the writer's lock.
    ///
    /// Comparing values runs foreign code while the transaction is open: its writes belong to the transaction.
    /// Releasing values runs foreign code too, but after the end: its writes are transactions of their own.
    private final func publish(_ plan: TransactionPlan) {
        guard let transaction else { return }
        if !plan.mutations.isEmpty { RunningUpdates.countWrite(to: self) }
        for written in plan.written where written.isSaved && written.box.staged?.isStored == true {
            reportIfCovered(written.box)
        }
        // Made before the lock is taken, which is held only to exchange values.
        let details = plan.details(of: transaction, limit: log.costLimit)
        let time = time.now()
        var dropped: [any AnyObject & Sendable] = []
        dropped.reserveCapacity(plan.written.count)
        let wakeUps = log.lock.withLock {
            if let write = transaction.note.unconfirmed { log.unconfirmed.write(write) }
            return log.publish(plan, details, time: time, installed: &dropped)
        }
        if !wakeUps.dropped.isEmpty { writer.afterUnlock { wakeUps.dropped.release() } }
        for box in transaction.boxes {
            if let equal = box.exchangeStaged(nil) { dropped.append(equal) }
        }
        let ended = (plan, dropped, endTransaction())
        // Wake subscribers before the old values are released: releasing many values takes time.
        if !wakeUps.isEmpty { actAfterUnlock(on: wakeUps) }
        writer.afterUnlock { withExtendedLifetime(ended) {} }
    }

    /// How often to plan again because comparing values has written other ones.
    private static let planLimit = 8

    /// - Returns: `nil` if there is no transaction.
    private final func planOfTransaction() -> TransactionPlan? {
        for _ in 1..<Self.planLimit {
            guard let transaction else { return nil }
            let stagings = transaction.stagings
            let plan = TransactionPlan(of: transaction, comparing: true)
            if transaction.stagings == stagings { return plan }
        }
        // This compares nothing, so that nothing is written any more.
        return transaction.map { TransactionPlan(of: $0, comparing: false) }
    }
}

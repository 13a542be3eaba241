extension Engine {
    /// Runs a transaction, or a part of the one in progress on this thread.
    final func transact<Result>(
        origin: Origin, author name: String?, domain: DomainIdentity? = nil, _ body: () throws -> Result
    ) throws -> Result {
        try transact(origin: origin, author: name, domain: domain, failing: { $0 }, body)
    }

    /// - Parameters:
    ///   - domain: The domain that has changed, if it is another one than the application's.
    ///   - failing: Converts an error of the store to one that the closure may throw.
    final func transact<Result, Failure: Error>(
        origin: Origin, author name: String?, domain: DomainIdentity? = nil, failing: (SettingsError) -> Failure,
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
            if let violation = transaction?.violation { throw failing(violation) }
            if transaction?.isOutermost == true {
                if origin == .local, let excess { throw failing(excess) }
                publishTransaction()
            } else {
                let settled = transaction?.keep()
                withExtendedLifetime(settled) {}
            }
            return result
        } catch {
            undoTransaction()
            throw error
        }
    }

    /// Why the storage could not store the transaction at once; `nil` if it can. Under the writer's lock.
    ///
    /// A single value that is too large is no matter of transactions: it stays in force, and is refused when it is saved.
    private final var excess: SettingsError? {
        guard let count = transaction?.boxes.count, count > 1 else { return nil }
        if count > keyLimit { return .tooManyKeys(count, limit: keyLimit) }
        guard byteLimit < .max else { return nil }
        // Encoding runs foreign code: what that writes belongs to the transaction.
        for _ in 1...Self.planLimit {
            guard let transaction else { break }
            let size = transaction.boxes.reduce(0) { $0 + self.size(of: $1) }
            if size > byteLimit { return .tooManyBytes(size, limit: byteLimit) }
            if self.transaction?.stagings == transaction.stagings { break }
        }
        return nil
    }

    /// The bytes that a staged value takes in the storage. What can't be encoded is reported when it is saved.
    private final func size(of box: AnySettingBox) -> Int {
        guard box.staged?.isStored == true, box.staged?.isReplaced == false,
            box.existingPlacement?.slot.schedule != nil, let value = box.visibleOwnValue
        else { return 0 }
        return (try? box.encoder(value))?.roughSize ?? 0
    }

    /// Restores what the innermost level of the transaction found. Under the writer's lock.
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

    /// Ends the transaction, so that the next write starts a new one. Under the writer's lock.
    ///
    /// - Returns: What remains of it, to be released by the caller.
    private final func endTransaction() -> (Transaction?, forgotten: [AnySettingBox]) {
        var ended: Transaction?
        swap(&transaction, &ended)
        mode = idleMode
        RunningUpdates.end(self)
        guard let ended, !ended.keyed.isEmpty else { return (ended, []) }
        return (ended, log.forgetIdle(ended.keyed))
    }

    /// Handles the error of an assignment that can't throw. Under the writer's lock.
    final func refuse(_ error: SettingsError) {
        if transaction != nil {
            transaction?.refuse(error)
        } else {
            reportAfterUnlock(error)
        }
    }

    /// Makes everything that the transaction has staged visible, in one step, and ends it. Under the writer's lock.
    ///
    /// Comparing values runs foreign code while the transaction is open: its writes belong to the transaction.
    /// Releasing values runs foreign code too, but after the end: its writes are transactions of their own.
    private final func publishTransaction() {
        let plan = planOfTransaction()
        guard let transaction else { return }
        if !plan.mutations.isEmpty { RunningUpdates.countWrite(to: self) }
        for written in plan.written where written.isSaved && written.box.staged?.isStored == true {
            reportIfCovered(written.box)
        }
        // Made before the lock is taken, which is held only to exchange values.
        let details =
            plan.mutations.isEmpty
            ? nil
            : LogDetails(
                plan.mutations, origin: plan.origin, author: transaction.author, domain: transaction.domain,
                undone: transaction.undone, cost: plan.cost, fixedCost: plan.fixedCost, limit: log.costLimit)
        let time = time.now()
        var dropped: [any AnyObject & Sendable] = []
        dropped.reserveCapacity(plan.written.count)
        let wakeUps = log.lock.withLock {
            var wakeUps = PendingWakeUps()
            for slot in plan.forgotten { slot.box?.forgetFields() }
            for slot in plan.forgotten
            where slot.isStored || slot.declaration == nil || log.stored.tree[slot.key] != nil
                || !log.stored.storedSpellings(of: slot).isEmpty
            {
                // Even if the value is the same, or differs from the stored one: it is no longer to be stored.
                slot.isStored = false
                if !plan.outside.contains(ObjectIdentifier(slot)), log.unsaved.markDirty(slot, time: time) {
                    wakeUps.wakesPersister = true
                }
            }
            if transaction.hasOverlaps {
                for slot in plan.replaced { log.stored.slots.remove(slot) }
                log.unsaved.overlap(replacing: plan.replaced)
            }
            guard !plan.written.isEmpty else { return wakeUps }
            var recorded = log.record(details, of: plan.written, time: time, installed: &dropped)
            if wakeUps.wakesPersister { recorded.wakesPersister = true }
            return recorded
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

    /// The changes that publishing the transaction makes.
    private struct TransactionPlan {
        var origin: Origin
        var written: [WrittenSetting] = []
        /// The settings that are no longer to be stored.
        var forgotten: [SettingSlot] = []
        /// The settings replaced by a write of a key around them.
        var replaced: [SettingSlot] = []
        /// The settings whose values come from the storage.
        var outside: Set<ObjectIdentifier> = []
        var mutations: [LoggedMutation] = []
        var cost = 0
        /// The part of it that is known from the values' types.
        var fixedCost = 0

        mutating func add(_ mutation: StagedMutation, of box: AnySettingBox, in slot: SettingSlot) {
            let changesOwn = mutation.own?.isEqual != true
            written.append(
                WrittenSetting(
                    box: box, slot: slot, isEvent: !mutation.isEqual, changesOwn: changesOwn,
                    isSaved: changesOwn && !outside.contains(ObjectIdentifier(slot))))
            let count = mutations.count
            if let inForce = LoggedMutation(inForce: mutation, of: box, in: slot) { mutations.append(inForce) }
            if let own = LoggedMutation(own: mutation, of: box, in: slot) { mutations.append(own) }
            guard mutations.count > count else { return }
            cost += mutation.cost
            if !slot.isMeasured { fixedCost += mutation.cost }
        }
    }

    /// How often to plan again because comparing values has written some.
    private static let planLimit = 8

    private final func planOfTransaction() -> TransactionPlan {
        var plan = TransactionPlan(origin: .local)
        for attempt in 1...Self.planLimit {
            guard let transaction else { break }
            // The last attempt compares nothing: a value that may be equal counts as changed.
            plan = self.plan(of: transaction, comparing: attempt < Self.planLimit)
            if self.transaction?.stagings == transaction.stagings { break }
        }
        return plan
    }

    private final func plan(of transaction: Transaction, comparing: Bool) -> TransactionPlan {
        // An `update` or `commit` that does nothing but resets counts as a reset, too.
        let isReset = transaction.origin == .local && transaction.boxes.allSatisfy { $0.staged?.isStored != true }
        var plan = TransactionPlan(origin: isReset ? .reset : transaction.origin)
        let hasOverlaps = transaction.hasOverlaps
        var (written, saved): (Set<SettingKey>, Set<SettingKey>) = ([], [])
        for box in transaction.orderedBoxes {
            guard let slot = box.existingPlacement?.slot else { continue }
            let parents = hasOverlaps ? slot.key.parents : []
            if box.staged?.isReplaced == true {
                if parents.contains(where: saved.contains) { plan.replaced.append(slot) }
                continue
            }
            // A write around it has replaced the value, so even an equal one counts as changed.
            let comparing = comparing && !parents.contains(where: written.contains)
            guard let mutation = box.stagedMutation(comparing: comparing) else { continue }
            if !mutation.isStored { plan.forgotten.append(slot) }
            if !transaction.outside.isEmpty, transaction.outside.contains(ObjectIdentifier(box)) {
                plan.outside.insert(ObjectIdentifier(slot))
            }
            if hasOverlaps, !mutation.isStored { saved.insert(slot.key) }
            if mutation.isEqual, mutation.own == nil { continue }
            if hasOverlaps {
                written.insert(slot.key)
                saved.insert(slot.key)
            }
            plan.add(mutation, of: box, in: slot)
        }
        return plan
    }
}

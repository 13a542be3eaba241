extension StoreCore {
    /// Puts every setting that is not its owner's back to its default.
    func reset(by writer: String?) throws(SettingsError) {
        try transact(origin: .reset, writer: writer, failing: { $0 }) { () throws(SettingsError) in
            let boxes = log.lock.withLock {
                log.slots.all.compactMap { $0.declaration == nil || $0.access == .owner ? nil : $0.box }
            }
            for box in boxes { box.stageDefault() }
        }
    }

    /// Runs a transaction, or a part of the one in progress on this thread.
    func transact<Result>(origin: Origin, writer name: String?, _ body: () throws -> Result) throws -> Result {
        try transact(origin: origin, writer: name, failing: { $0 }, body)
    }

    /// - Parameter failing: Makes an error of ours one that the closure may throw.
    func transact<Result, Failure: Error>(
        origin: Origin, writer name: String?, failing: (SettingsError) -> Failure, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        writer.lock()
        defer { writer.unlock() }
        guard mode != .closed else { throw failing(.closed(key: nil)) }
        if transaction == nil {
            transaction = Transaction(origin: origin, writer: name)
            mode = .transaction
            RunningUpdates.begin(self)
        }
        transaction?.begin(afterWritesElsewhere: RunningUpdates.writesElsewhere(in: self))
        do throws(Failure) {
            let result = try body()
            if let violation = transaction?.violation { throw failing(violation) }
            if transaction?.isOutermost == true {
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

    /// Puts back what the innermost level of the transaction has found. Under the writer's lock.
    ///
    /// A value that goes away may run foreign code, which may write. So what is dropped is dropped last, when the level has ended.
    private func undoTransaction() {
        guard let level = transaction?.endLevel() else { return }
        if RunningUpdates.writesElsewhere(in: self) > level.writesElsewhere {
            reportAfterUnlock(.partlyUndone)
        }
        let dropped = level.undo.reversed().map { $0.box.exchangeStaged($0.state) }
        let ended = transaction?.isEmpty == true ? endTransaction() : nil
        withExtendedLifetime((level, dropped, ended)) {}
    }

    /// Ends the transaction, so that the next write is one of its own. Under the writer's lock.
    ///
    /// - Returns: What it leaves, for the caller to let go of.
    private func endTransaction() -> (Transaction?, forgotten: [AnySettingBox]) {
        var ended: Transaction?
        swap(&transaction, &ended)
        mode = .direct
        RunningUpdates.end(self)
        guard let ended, !ended.keyed.isEmpty else { return (ended, []) }
        return (ended, log.forgetIdle(ended.keyed))
    }

    /// Notes that a setting is about to be staged. Under the writer's lock.
    func willStage(_ box: AnySettingBox) {
        transaction?.willStage(box)
    }

    /// Deals with an assignment that can't throw. Under the writer's lock.
    func refuse(_ error: SettingsError) {
        if transaction != nil {
            transaction?.refuse(error)
        } else {
            reportAfterUnlock(error)
        }
    }

    private func reportAfterUnlock(_ error: SettingsError) {
        writer.afterUnlock { [issueBoard, isUnopened] in
            issueBoard.report(error)
            // Nothing can subscribe to the issues of a group that no store has opened.
            if isUnopened { writeToStandardError("Settle: \(error)") }
        }
    }

    /// Makes what the transaction has staged visible, in one step, and ends it. Under the writer's lock.
    ///
    /// Comparing values runs foreign code while the transaction is open: what that writes is a part of it. Dropping values does so
    /// too, after the end: what that writes is a transaction of its own.
    private func publishTransaction() {
        let plan = planOfTransaction()
        guard let transaction else { return }
        if !plan.mutations.isEmpty { RunningUpdates.noteWrite(to: self) }
        // Made before the lock, which is held only for what exchanges values.
        let details =
            plan.mutations.isEmpty
            ? nil
            : LogDetails(
                plan.mutations, origin: plan.origin, writer: transaction.writer, cost: plan.cost,
                fixedCost: plan.fixedCost, limit: log.costLimit)
        let time = time.now()
        var dropped: [AnyStagedValue] = []
        dropped.reserveCapacity(plan.written.count)
        let signals = log.lock.withLock {
            var signals = Signals()
            for slot in plan.forgotten
            where slot.isStored || slot.declaration == nil || log.tree[slot.key] != nil
                || !log.storedSpellings(of: slot).isEmpty
            {
                // The value may be the same, or another than what is stored, but it is not to be stored any more.
                slot.isStored = false
                if !plan.outside.contains(ObjectIdentifier(slot)), log.markDirty(slot, time: time) {
                    signals.wakesPersister = true
                }
            }
            if transaction.hasOverlaps { log.noteOverlaps(replacing: plan.replaced) }
            guard let details else { return signals }
            var recorded = log.record(
                details, of: plan.written, storedAlready: plan.outside, time: time, installed: &dropped)
            if signals.wakesPersister { recorded.wakesPersister = true }
            return recorded
        }
        if !signals.dropped.isEmpty { writer.afterUnlock { signals.dropped.release() } }
        for box in transaction.boxes {
            if let equal = box.exchangeStaged(nil) { dropped.append(equal) }
        }
        let ended = (plan, dropped, endTransaction())
        // Letting go of many values takes time, which nobody who is woken has to wait for.
        if !signals.isEmpty { actAfterUnlock(on: signals) }
        writer.afterUnlock { withExtendedLifetime(ended) {} }
    }

    /// What publishing the transaction changes.
    private struct TransactionPlan {
        var origin: Origin
        var written: [(box: AnySettingBox, slot: SettingSlot)] = []
        /// The settings that are not to be stored any more.
        var forgotten: [SettingSlot] = []
        /// The settings in whose place something around them is written.
        var replaced: [SettingSlot] = []
        /// The settings whose values come from the storage.
        var outside: Set<ObjectIdentifier> = []
        var mutations: [LoggedMutation] = []
        var cost = 0
        /// The part of it that the types tell of.
        var fixedCost = 0
    }

    /// How often a plan is made anew because comparing values has written some.
    private static let planLimit = 8

    private func planOfTransaction() -> TransactionPlan {
        var plan = TransactionPlan(origin: .local)
        for attempt in 1...Self.planLimit {
            guard let transaction else { break }
            // The last plan compares nothing: a value that may be equal counts as changed.
            plan = self.plan(of: transaction, comparing: attempt < Self.planLimit)
            if self.transaction?.stagings == transaction.stagings { break }
        }
        return plan
    }

    private func plan(of transaction: Transaction, comparing: Bool) -> TransactionPlan {
        // An `update` or `commit` that does nothing but resets is one, too.
        let isReset = transaction.origin == .local && transaction.boxes.allSatisfy { $0.staged?.isStored != true }
        var plan = TransactionPlan(origin: isReset ? .reset : transaction.origin)
        let hasOverlaps = transaction.hasOverlaps
        var (written, saved): (Set<SettingKey>, Set<SettingKey>) = ([], [])
        for box in transaction.orderedBoxes {
            guard let slot = box.attachment?.slot else { continue }
            let parents = hasOverlaps ? slot.key.parents : []
            if box.staged?.isReplaced == true {
                if parents.contains(where: saved.contains) { plan.replaced.append(slot) }
                continue
            }
            // What was equal before is not equal any more after a write around it.
            let comparing = comparing && !parents.contains(where: written.contains)
            guard let mutation = box.stagedMutation(comparing: comparing) else { continue }
            if !mutation.isStored { plan.forgotten.append(slot) }
            if !transaction.outside.isEmpty, transaction.outside.contains(ObjectIdentifier(box)) {
                plan.outside.insert(ObjectIdentifier(slot))
            }
            if hasOverlaps, !mutation.isStored { saved.insert(slot.key) }
            if mutation.isEqual { continue }
            if hasOverlaps {
                written.insert(slot.key)
                saved.insert(slot.key)
            }
            plan.written.append((box, slot))
            plan.mutations.append(LoggedMutation(slot: slot, old: mutation.old, new: mutation.new))
            plan.cost += mutation.cost
            if !slot.isMeasured { plan.fixedCost += mutation.cost }
        }
        return plan
    }
}

extension StoreCore {
    /// Puts every setting that is not its owner's back to its default.
    func reset(by writer: String?) throws {
        try transact(origin: .reset, writer: writer) {
            let boxes = log.lock.withLock {
                log.slots.values.compactMap { $0.declaration == nil || $0.access == .owner ? nil : $0.box }
            }
            for box in boxes { box.stageDefault() }
        }
    }

    /// Runs a transaction, or a part of the one in progress on this thread.
    func transact<Result>(origin: Origin, writer name: String?, _ body: () throws -> Result) throws -> Result {
        writer.lock()
        defer { writer.unlock() }
        guard mode != .closed else { throw SettingsError.closed(key: nil) }
        if transaction == nil {
            transaction = Transaction(origin: origin, writer: name)
            mode = .transaction
        }
        transaction?.begin()
        do {
            let result = try body()
            if let violation = transaction?.violation { throw violation }
            if transaction?.isOutermost == true { publishTransaction() }
            transaction?.keep()
            endIfOutermost()
            return result
        } catch {
            transaction?.undo()
            endIfOutermost()
            throw error
        }
    }

    private func endIfOutermost() {
        if let transaction, !transaction.isEmpty { return }
        transaction = nil
        mode = .direct
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
            writer.afterUnlock { [issueBoard] in issueBoard.report(error) }
        }
    }

    /// Makes what the transaction has staged visible, in one step. Under the writer's lock.
    private func publishTransaction() {
        guard let transaction else { return }
        var written: [(box: AnySettingBox, slot: SettingSlot)] = []
        var forgotten: [SettingSlot] = []
        var mutations: [LoggedMutation] = []
        var cost = 0
        // An `update` or `commit` that does nothing but resets is one, too.
        let isReset = transaction.origin == .local && transaction.boxes.allSatisfy { !$0.stagesStoredValue }
        let origin: Origin = isReset ? .reset : transaction.origin
        for box in transaction.boxes {
            guard box.stagedState() != nil, let slot = box.attachment?.slot else { continue }
            if !box.stagesStoredValue { forgotten.append(slot) }
            guard let mutation = box.stagedMutation() else { continue }
            written.append((box, slot))
            mutations.append(LoggedMutation(slot: slot, old: mutation.old, new: mutation.new))
            cost += mutation.cost
        }
        let details =
            mutations.isEmpty
            ? nil : LogDetails(mutations, origin: origin, writer: transaction.writer, cost: cost, limit: log.costLimit)
        let nodes = written.map { ($0.slot, $0.box.node) }
        let time = time.now()
        let signals = log.lock.withLock {
            var signals = Signals()
            for slot in forgotten where slot.isStored || log.tree[slot.key] != nil {
                // The value may be the same, or another than what is stored, but it is not to be stored any more.
                slot.isStored = false
                if origin != .external, log.markDirty(slot, time: time) { signals.wakesPersister = true }
            }
            guard let details else { return signals }
            log.beginInstalling()
            for (box, slot) in written {
                slot.isStored = box.stagesStoredValue
                box.installStaged()
            }
            log.endInstalling()
            var recorded = log.record(details, nodes: nodes, time: time)
            if signals.wakesPersister { recorded.wakesPersister = true }
            return recorded
        }
        if !signals.dropped.isEmpty { writer.afterUnlock { signals.dropped.release() } }
        for box in transaction.boxes { box.restoreStaged(nil) }
        if !signals.isEmpty { actAfterUnlock(on: signals) }
    }
}

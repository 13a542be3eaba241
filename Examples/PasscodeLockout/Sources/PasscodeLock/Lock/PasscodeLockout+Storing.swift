import Settle

extension PasscodeLockout {
    /// Runs an operation while no other task or process tries a passcode of this lock. Once it has its turn, cancelling
    /// the task changes nothing.
    ///
    /// - Returns: `nil` if it never got its turn.
    func turn<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result? {
        do {
            return try await stores[0].withLock(named: turnName) {
                isBusy = true
                // In a separate task, because a commit does not begin in a cancelled one.
                let result = await Task { await body() }.value
                isBusy = false
                publishChange()
                return result
            }
        } catch is CancellationError {
            return nil
        } catch {
            failure = .notSaved("\(error)")
            publishChange()
            return nil
        }
    }

    /// Reads the stored state, decides, and stores. Returns when everything is on stable storage in both copies, and
    /// the witness has been told. Must run in a ``turn(_:)``.
    ///
    /// - Parameter decide: Returns the record to write, or `nil`, and the result.
    func transact<Result: Sendable>(
        _ decide: (LockFinding.Conclusion, Moment, inout AuditLog) -> (LockRecord?, Result)
    ) async throws(LockStatus.Reason) -> Result {
        do throws(LockStatus.Reason) {
            let moment = try moment()
            try await askWitness()
            let (record, result) = try await store(at: moment, decide)
            if let record { try await tellWitness(record.generation) }
            failure = nil
            return result
        } catch {
            failure = error
            throw error
        }
    }

    private func store<Result: Sendable>(
        at moment: Moment, _ decide: (LockFinding.Conclusion, Moment, inout AuditLog) -> (LockRecord?, Result)
    ) async throws(LockStatus.Reason) -> (LockRecord?, Result) {
        do {
            // Other processes' values and saves of unknown outcome come first: until these are settled, further tries
            // would only be counted in memory.
            for copy in copies { try await copy.commit {} }
            let order = writingOrder
            let plan = try await copies[order.first].commit { () -> Plan<Result> in
                let plan = self.plan(at: moment, decide)
                write(plan, to: order.first)
                return plan
            }
            try await copies[order.last].commit { write(plan, to: order.last) }
            conclusion = plan.record.map { .enrolled($0) } ?? plan.finding.conclusion
            if plan.record != nil { losses = losses.map { _ in nil } }
            return (plan.record, plan.result)
        } catch {
            throw .notSaved("\(error)")
        }
    }

    /// The older copy first: if its save failed and fails again, no further try may count in the other copy alone.
    private var writingOrder: (first: Int, last: Int) {
        copies[1].copy.validGeneration < copies[0].copy.validGeneration ? (1, 0) : (0, 1)
    }

    /// What a transaction writes to both copies.
    private struct Plan<Result: Sendable>: Sendable {
        let finding: LockFinding
        let moment: Moment
        var log: AuditLog
        /// `nil` to leave the copies as they are.
        var record: LockRecord?
        let result: Result
    }

    private func plan<Result: Sendable>(
        at moment: Moment, _ decide: (LockFinding.Conclusion, Moment, inout AuditLog) -> (LockRecord?, Result)
    ) -> Plan<Result> {
        let finding = finding(at: moment)
        var log = AuditLog(copies.map(\.audit))
        log.addTampering(finding.tampering, at: moment)
        let (record, result) = decide(finding.conclusion, moment, &log)
        var plan = Plan(finding: finding, moment: moment, log: log, record: record, result: result)
        if record == nil, finding.mustHeal, case .enrolled(var healed) = finding.conclusion {
            healed.generation += 1
            plan.record = healed
        }
        return plan
    }

    /// Must be called in a transaction of this copy.
    private func write<Result>(_ plan: Plan<Result>, to index: Int) {
        let copy = copies[index]
        if let record = plan.record {
            copy.write(record, plan.log, at: plan.moment)
            return
        }
        if copy.audit != plan.log.records { copy.audit = plan.log.records }
        // Otherwise the next process would not know about the loss.
        if case .unusable = plan.finding.conclusion, let loss = losses[index] { copy.damage = loss }
    }

    /// The conclusion from the copies, as this process knows them.
    func finding(at moment: Moment) -> LockFinding {
        let found = zip(copies, losses).map { settings, loss in
            loss.map { settings.copy.after(losing: $0) } ?? settings.copy
        }
        return LockFinding(found, known: known, witnessed: witnessed, by: rules, at: moment)
    }

    private var known: LockRecord? {
        if case .enrolled(let record) = conclusion { record } else { nil }
    }

    /// Concludes from the loaded copies, and repairs what disagrees.
    func begin() async {
        guard let moment = try? moment() else { return }
        let finding = finding(at: moment)
        conclusion = finding.conclusion
        guard witness != nil || finding.mustHeal || !finding.tampering.isEmpty else { return }
        await check()
    }

    /// Asks all sources, and repairs what disagrees.
    private func check() async {
        await turn { [self] in _ = try? await transact { _, _, _ in (nil, ()) } }
    }

    /// Called when something has reached stable storage, perhaps by another process or a repeated save.
    func settingsChanged() async {
        guard !isBusy, let moment = try? moment() else { return }
        // Perhaps in only one of the copies.
        if case .notSaved = failure, !stores.allSatisfy(\.isSaved) { return }
        let finding = finding(at: moment)
        conclusion = finding.conclusion
        failure = nil
        publishChange()
        // Only this process still knows the newer state, so it must be written again.
        if !finding.tampering.isEmpty { await check() }
    }

    // MARK: Machine and witness

    func moment() throws(LockStatus.Reason) -> Moment {
        do { return try time.now() } catch { throw .noTime("\(error)") }
    }

    private func askWitness() async throws(LockStatus.Reason) {
        guard let witness else { return }
        do { witnessed = try await witness.generation() } catch { throw .noWitness("\(error)") }
    }

    private func tellWitness(_ generation: Int) async throws(LockStatus.Reason) {
        guard let witness else { return }
        do { try await witness.advance(to: generation) } catch { throw .noWitness("\(error)") }
        witnessed = max(witnessed ?? 0, generation)
    }
}

extension SettingsStore {
    fileprivate var isSaved: Bool {
        switch status {
        case .saved, .fileBehind: true
        case .pending, .saving, .failing: false
        }
    }
}

extension LockCopy {
    /// 0 if there is no usable record.
    fileprivate var validGeneration: Int {
        if case .valid(let record) = self { record.generation } else { 0 }
    }

    /// How a copy counts whose storage has lost something.
    func after(losing loss: String) -> LockCopy {
        let reason = "has lost something: \(loss)"
        return switch self {
        case .valid(let record), .restored(let record, _): .restored(record, reason)
        case .empty, .unusable: .unusable(reason)
        }
    }
}

extension StorageContents.Outcome {
    /// A sentence about what was missing when the store was loaded.
    var loss: String? {
        switch self {
        case .absent, .intact: nil
        case .recovered(let description, let isComplete): isComplete ? nil : description
        case .removed(let description): description
        }
    }
}

import Settle

extension PasscodeLockout {
    /// Runs something while no other task and no other process tries a passcode of this lock. Once the turn has come, cancelling
    /// the task changes nothing.
    ///
    /// - Returns: `nil` if the turn never came.
    func turn<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result? {
        do {
            return try await stores[0].withLock(named: turnName) {
                isBusy = true
                // In a task of its own, because a commit does not begin in a cancelled one.
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

    /// Finds out what is stored, decides, and stores. Returns when all of it is on stable storage in both copies, and the
    /// witness knows. In a ``turn(_:)``.
    ///
    /// - Parameter decide: Gives the record to write, or `nil`, and what to return.
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
            // What others have stored, and what could not be saved before, comes first: while it can't be, further tries
            // would only count up in memory.
            try await copies[1].commit {}
            if failure != nil { try await copies[0].commit {} }
            let plan = try await copies[0].commit { () -> Plan<Result> in
                let plan = self.plan(at: moment, decide)
                write(plan, to: 0)
                return plan
            }
            try await copies[1].commit { write(plan, to: 1) }
            conclusion = plan.record.map { .enrolled($0) } ?? plan.finding.conclusion
            if plan.record != nil { losses = losses.map { _ in nil } }
            return (plan.record, plan.result)
        } catch {
            throw .notSaved("\(error)")
        }
    }

    /// What a transaction writes to both copies.
    private struct Plan<Result: Sendable>: Sendable {
        let finding: LockFinding
        let moment: Moment
        var log: AuditLog
        /// `nil` if the copies stay as they are.
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

    /// In a transaction of this copy.
    private func write<Result>(_ plan: Plan<Result>, to index: Int) {
        let copy = copies[index]
        if let record = plan.record {
            copy.write(record, plan.log, at: plan.moment)
            return
        }
        if copy.audit != plan.log.records { copy.audit = plan.log.records }
        // The next process to load it would not know what this one was told.
        if case .unusable = plan.finding.conclusion, let loss = losses[index] { copy.damage = loss }
    }

    /// What the copies say now, as this process knows them.
    func finding(at moment: Moment) -> LockFinding {
        let found = zip(copies, losses).map { settings, loss in
            loss.map { settings.copy.after(losing: $0) } ?? settings.copy
        }
        return LockFinding(found, known: known, witnessed: witnessed, by: rules, at: moment)
    }

    private var known: LockRecord? {
        if case .enrolled(let record) = conclusion { record } else { nil }
    }

    /// Concludes from what was loaded, and repairs what does not agree.
    func begin() async {
        guard let moment = try? moment() else { return }
        let finding = finding(at: moment)
        conclusion = finding.conclusion
        guard witness != nil || finding.mustHeal || !finding.tampering.isEmpty else { return }
        await check()
    }

    /// Asks everybody, and repairs what does not agree.
    private func check() async {
        await turn { [self] in _ = try? await transact { _, _, _ in (nil, ()) } }
    }

    /// Something has reached stable storage, perhaps by another process or a repeated save.
    func settingsChanged() async {
        guard !isBusy, let moment = try? moment() else { return }
        // It may be only one of the copies.
        if case .notSaved = failure, !stores.allSatisfy(\.isSaved) { return }
        let finding = finding(at: moment)
        conclusion = finding.conclusion
        failure = nil
        publishChange()
        // What was put back while this process ran is gone with this process, unless it is written again.
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
    /// What a copy is worth whose storage has lost something.
    func after(losing loss: String) -> LockCopy {
        let reason = "has lost something: \(loss)"
        return switch self {
        case .valid(let record), .restored(let record, _): .restored(record, reason)
        case .empty, .unusable: .unusable(reason)
        }
    }
}

extension StorageContents.Outcome {
    /// What is missing from what was loaded, in a sentence.
    var loss: String? {
        switch self {
        case .absent, .intact: nil
        case .recovered(let description, let isComplete): isComplete ? nil : description
        case .removed(let description): description
        }
    }
}

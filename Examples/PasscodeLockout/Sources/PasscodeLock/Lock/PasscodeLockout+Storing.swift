import Settle

extension PasscodeLockout {
    /// Reads the stored state, decides, and stores. Returns when everything is on stable storage in both copies, and
    /// the witness has the number. Must run in a ``turn(_:)``.
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
            await eraseEarlierVerifiers()
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
        var attempts = Self.attempts
        while true {
            attempts -= 1
            do {
                return try await storeOnce(at: moment, decide)
            } catch is Interference where attempts > 0 {
                // What is there now decides.
            } catch {
                throw LockStatus.Reason(saving: error)
            }
        }
    }

    /// How often a transaction begins, if programs that take no turns change the copies meanwhile.
    private static let attempts = 3

    private func storeOnce<Result: Sendable>(
        at moment: Moment, _ decide: (LockFinding.Conclusion, Moment, inout AuditLog) -> (LockRecord?, Result)
    ) async throws -> (LockRecord?, Result) {
        // Other processes' values and saves of unknown outcome come first: until these are settled, further tries
        // would only be counted in memory.
        for copy in copies { try await copy.commit {} }
        var stamps = copies.map(\.stamp)
        let finding = finding(at: moment)
        var log = AuditLog(copies.map(\.intactAudit))
        log.addTampering(finding.tampering, at: moment)
        if let healed = finding.healed {
            try await write(healed, log, over: &stamps)
        } else {
            try await write(log, finding, at: moment)
        }
        conclusion = finding.conclusion
        let (record, result) = decide(conclusion, moment, &log)
        if let record { try await write(record, log, over: &stamps) }
        return (record, result)
    }

    /// Writes a record to both copies, unless one no longer holds what this turn has read: then nothing is overwritten.
    ///
    /// The newer copy comes first. If a crash leaves the other one, it still is what the record replaces.
    private func write(_ record: LockRecord, _ log: AuditLog, over stamps: inout [[String?]]) async throws {
        let generations = copies.map { $0.copy.valid?.generation ?? 0 }
        for index in generations[0] < generations[1] ? [1, 0] : [0, 1] {
            let (copy, expected) = (copies[index], stamps[index])
            try await copy.commit {
                guard copy.stamp == expected else { throw Interference(copy: index + 1) }
                if let verifier = copy.verifier, !verifier.isSame(as: record.verifier) {
                    copy.hasEarlierVerifier = true
                }
                copy.write(record, log)
            }
            stamps[index] = copy.stamp
        }
        conclusion = .enrolled(record)
        known = record
        losses = losses.map { _ in nil }
    }

    /// Writes what has been found, but no record.
    private func write(_ log: AuditLog, _ finding: LockFinding, at moment: Moment) async throws {
        guard !finding.conclusion.isOfOtherVersion else { return }
        for (copy, loss) in zip(copies, losses) {
            var log = log
            if case .unusable(.mismatched) = finding.conclusion {
                // Each keeps its own history: one of them belongs to another lock, or to another time.
                log = AuditLog([copy.intactAudit])
                log.addTampering(finding.tampering, at: moment)
            }
            var isUnusable = false
            if case .unusable = finding.conclusion { isUnusable = true }
            guard copy.intactAudit != log.records || (isUnusable && loss != nil) else { continue }
            try await copy.commit {
                copy.write(log)
                // Otherwise the next process would not know about the loss.
                if isUnusable, let loss { copy.damage = loss }
            }
        }
    }

    /// Removes earlier verifiers from the journals and from earlier versions of the files, where their passcodes could
    /// still be guessed. If that fails, or the process ends before it, the next transaction does it.
    private func eraseEarlierVerifiers() async {
        guard !conclusion.isOfOtherVersion else { return }
        for (copy, store) in zip(copies, stores) where copy.hasEarlierVerifier != nil {
            guard (try? await store.file.eraseEarlierValues()) != nil else { continue }
            _ = try? await copy.commit { copy.hasEarlierVerifier = nil }
        }
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
        do {
            try await witness.advance(to: generation)
        } catch let refusal as WitnessRefusal {
            throw .rolledBack("\(refusal)")
        } catch {
            throw .noWitness("\(error)")
        }
        witnessed = max(witnessed ?? 0, generation)
    }
}

/// A copy was changed during a turn, by a program that does not take turns.
private struct Interference: Error, CustomStringConvertible {
    let copy: Int

    var description: String { "copy \(copy) was changed meanwhile, so it was not overwritten." }
}

extension LockStatus.Reason {
    /// Why a turn or a commit failed.
    init(saving error: any Error) {
        let reason = error as? SettingsError
        let isLocked = reason?.code == .lockTimedOut || (reason?.underlying as? StorageError)?.code == .locked
        self = isLocked ? .busy("\(error)") : .notSaved("\(error)")
    }
}

import Settle

extension PasscodeLockout {
    /// Tries a passcode.
    ///
    /// If the task is cancelled before its turn, the passcode is not compared; later cancellation has no effect.
    public func unlock(with passcode: Passcode) async -> AttemptResult {
        await turn { [self] in await attempt(passcode, replacement: nil) } ?? .refused(status())
    }

    /// Sets the passcode.
    ///
    /// The first one is accepted only where nothing shows that there was a lock (R21). When a passcode has been
    /// replaced, the stores' files no longer have its verifier.
    ///
    /// - Parameter old: The current passcode, if there is one. Passing it is a try like any other.
    /// - Throws: ``PasscodeError/tooShort(minimum:)`` if the ``policy`` asks for a longer one, before anything is tried
    ///   or counted. Any other error if the new passcode's verifier can't be made.
    public func enrol(_ passcode: Passcode, replacing old: Passcode? = nil) async throws -> AttemptResult {
        try policy.check(passcode)
        let replacement = try await verifier.makeVerifier(for: passcode)
        let result = await turn { [self] in
            if let old { await attempt(old, replacement: replacement) } else { await enrol(replacement) }
        }
        return result ?? .refused(status())
    }

    private func enrol(_ verifier: StoredVerifier) async -> AttemptResult {
        await result {
            try await transact { conclusion, moment, log in
                // A caller that passes no old passcode has not tried one, so this is no guess.
                guard case .notEnrolled = conclusion else { return (nil, .refused(status(of: conclusion, at: moment))) }
                log.add(.enrolled, at: moment)
                return (LockRecord(generation: 1, verifier: verifier), .accepted)
            }
        }
    }

    private func attempt(_ passcode: Passcode, replacement: StoredVerifier?) async -> AttemptResult {
        await result {
            let (record, moment): (LockRecord, Moment)
            switch try await self.record(passcode) {
            case .ended(let result): return result
            case .recorded(let counted, let time): (record, moment) = (counted, time)
            }
            // The try is on stable storage now. A failing verifier may have been made to fail, so that counts too. It
            // runs in a separate task: a cancelled one could not store the outcome.
            let (verifier, stored) = (verifier, record.verifier)
            let isRight = try? await Task { try await verifier.verify(passcode, against: stored) }.value
            guard isRight == true else {
                if isRight == false { remember(passcode, wrongFor: record.verifier, at: moment) }
                // It counts even if the machine no longer gives a time.
                let status = status()
                end(record, isRight == nil ? .failed : .wrong, status, at: moment)
                return isRight == nil ? .failed(status) : .wrong(status)
            }
            return try await succeed(record, replacement)
        }
    }

    private enum Recording: Sendable {
        /// The try has ended without a comparison.
        case ended(AttemptResult)
        case recorded(LockRecord, Moment)
    }

    /// Counts a try if it is allowed and not a repetition.
    private func record(_ passcode: Passcode) async throws(LockStatus.Reason) -> Recording {
        // The transaction that counts it also asks whether it is allowed.
        try await transact { conclusion, moment, log in
            guard case .enrolled(let record) = conclusion, verifier.objection(to: record.verifier) == nil else {
                return (nil, .ended(.refused(status(of: conclusion, at: moment))))
            }
            switch rules.decide(record, at: moment) {
            case .refuse(let status): return (nil, .ended(.refused(status)))
            case .record(let next):
                guard !recentGuesses.contains(passcode, for: record.verifier, at: moment) else {
                    return (nil, .ended(.repeated(rules.status(of: record, at: moment))))
                }
                log.addAttempt(next, at: moment)
                return (next, .recorded(next, moment))
            }
        }
    }

    private func succeed(
        _ attempt: LockRecord, _ replacement: StoredVerifier?
    ) async throws(LockStatus.Reason) -> AttemptResult {
        let result: AttemptResult = try await transact { conclusion, moment, log in
            guard case .enrolled(let record) = conclusion else {
                return (nil, .refused(status(of: conclusion, at: moment)))
            }
            // A program that takes no turns has counted other tries, or has changed the passcode.
            guard record.id == attempt.id else {
                return (nil, .refused(.unavailable(.busy("it tried another passcode in the meantime."))))
            }
            log.add(replacement == nil ? .accepted : .passcodeChanged, at: moment)
            return (record.unlocked(replacing: replacement), .accepted)
        }
        recentGuesses.forgetAll()
        return result
    }

    private func result(_ body: () async throws -> AttemptResult) async -> AttemptResult {
        do {
            return try await body()
        } catch {
            return .refused(.unavailable(error as? LockStatus.Reason ?? .notSaved("\(error)")))
        }
    }

    /// Completes the attempt's audit record. The attempt is already counted, so nothing waits for this.
    private func end(
        _ attempt: LockRecord, _ outcome: AuditRecord.Outcome, _ status: LockStatus, at moment: Moment
    ) {
        var log = AuditLog(copies.map(\.intactAudit))
        log.end(attempt, outcome, status: status, at: moment)
        for copy in copies { _ = try? copy.update { copy.write(log) } }
    }

    private func remember(_ passcode: Passcode, wrongFor verifier: StoredVerifier, at moment: Moment) {
        recentGuesses.add(passcode, wrongFor: verifier, at: moment)
        scheduleWiping()
    }

    private func scheduleWiping() {
        wiper?.cancel()
        guard let deadline = recentGuesses.nextExpiry else { return }
        // A task that sleeps does not keep the lock, with its stores.
        wiper = Task { [weak self, time] in
            guard (try? await time.sleep(untilUptime: deadline)) != nil else { return }
            await self?.wipe()
        }
    }

    private func wipe() {
        if let moment = try? moment() { recentGuesses.forget(at: moment) } else { recentGuesses.forgetAll() }
        scheduleWiping()
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SettingsStore.Keys {
    /// Why a key has its value: every domain's value with its place, and which one is in force.
    ///
    /// It is of one moment between two transactions; inside its own transaction, a thread sees what that has written.
    /// Waits for a transaction that runs, and looks into the files of the domains again to name lines, so it may block
    /// for a moment.
    public func explanation(forKey key: some SettingKeyConvertible) -> Explanation {
        store.core.explain(SettingKey(given: key))
    }

    /// The same without the places of domains that don't lock keys: it looks into no file for them.
    package func explanationWithoutPlaces(forKey key: SettingKey) -> Explanation {
        store.core.explain(key, placing: .locks)
    }
}

/// Which domains' places an explanation names. To name a line, the file is read.
private enum NamedPlaces {
    case all, locks
}

extension SettingReference.Domains {
    /// Why the setting has its value; see ``SettingsStore/Keys/explanation(forKey:)``. `nil` if no store has opened its
    /// group.
    public var explanation: Explanation? {
        (setting.placement.engine as? StoreCore)?.explain(setting.placement.slot.key)
    }
}

extension StoreCore {
    fileprivate func explain(_ key: SettingKey, placing places: NamedPlaces = .all) -> Explanation {
        // While a domain changes, it has its new values before the settings do: only between two transactions is what
        // the log tells of one moment.
        writer.lock()
        var found = log.lock.withLock { () -> FoundSetting in
            let place = log.stored.resolved(key)
            let slot = log.stored.slots[place].flatMap { $0.declaration == nil ? nil : $0 }
            let key = slot.map { log.stored.slots.declaredKey(of: $0) } ?? key
            let staged = slot?.box?.staged
            return FoundSetting(
                key: key, place: place, slot: slot, stored: log.stored.tree[place],
                isStored: staged?.isStored ?? slot?.isStored ?? false,
                isUnsaved: staged != nil || slot.map { log.unsaved.isUnsaved($0) } ?? false, lastGood: slot?.lastGood,
                candidates: log.stored.domains.candidates(at: key),
                held: staged.map(\.held) ?? slot?.box?.held, origin: slot?.origin ?? .default,
                change: slot.flatMap { lastChange(of: $0) },
                isDurable: slot.map { $0.lastRevision <= log.changes.durableRevision && !log.unsaved.isUnsaved($0) }
                    ?? true)
        }
        found.own = found.slot?.box?.visibleOwnValue
        found.value = found.slot?.box?.visibleValue
        writer.unlock()
        guard let slot = found.slot, let box = slot.box else { return explainUndeclared(found, places) }
        return explain(found, slot, box, places)
    }

    /// A setting as of one moment.
    private struct FoundSetting {
        let key: SettingKey
        let place: SettingKey
        let slot: SettingSlot?
        let stored: SettingValue?
        let isStored: Bool
        let isUnsaved: Bool
        let lastGood: SettingValue?
        let candidates: [DomainCandidate]
        let held: HeldValue?
        let origin: ValueOrigin
        let change: Explanation.LastChange?
        let isDurable: Bool
        /// What the application's domain has, and what is in force.
        var own: (any Sendable)?
        var value: (any Sendable)?
    }

    /// Under the log's lock.
    private func lastChange(of slot: SettingSlot) -> Explanation.LastChange? {
        guard let entry = log.changes.ring[slot.lastRevision] else { return nil }
        return Explanation.LastChange(
            revision: slot.lastRevision, author: entry.details.author,
            time: Date(timeIntervalSinceReferenceDate: entry.time))
    }

    private func explain(
        _ found: FoundSetting, _ slot: SettingSlot, _ box: AnySettingBox, _ places: NamedPlaces
    ) -> Explanation {
        let isSecret = slot.isSecret
        var answers: [Explanation.Answer] = []
        func add(
            _ domain: DomainName, _ place: String, _ value: SettingValue?, _ outcome: Explanation.Outcome,
            problem: String? = nil, locksKey: Bool = false
        ) {
            answers.append(
                Explanation.Answer(
                    domain: domain, place: place, value: isSecret ? nil : value, outcome: outcome, problem: problem,
                    locksKey: locksKey))
        }
        func add(_ candidate: DomainCandidate) {
            let (outcome, problem) = outcome(of: candidate, in: box, slot, found.held)
            add(
                candidate.domain.name, place(of: candidate, places), candidate.value, outcome, problem: problem,
                locksKey: candidate.domain.locksKeys && slot.access != .owner)
        }
        for candidate in found.candidates where candidate.domain.isAbove { add(candidate) }
        let inForce: Explanation.Outcome = found.held == nil ? .inForce : .covered
        if found.isUnsaved {
            if found.isStored {
                add(.application, "not saved yet", try? found.own.map { try box.encoder($0) }, inForce)
            }
        } else if let stored = found.stored {
            if let problem = box.problem(with: stored, at: found.key, lastGood: found.lastGood) {
                let place = placeOfOwn(found.place, stored, places)
                add(.application, place, stored, .refused, problem: problem.description)
                if found.isStored { add(.application, "the last good value", found.lastGood, inForce) }
            } else {
                add(.application, placeOfOwn(found.place, stored, places), stored, inForce)
            }
        } else if found.isStored {
            add(.application, "kept in memory only", try? found.own.map { try box.encoder($0) }, inForce)
        }
        for candidate in found.candidates where !candidate.domain.isAbove { add(candidate) }
        let isDefault = found.held == nil && !found.isStored
        add(.declaration, slot.declaration ?? "", box.encodedDefault, isDefault ? .inForce : .covered)
        return Explanation(
            key: found.key.description, type: box.declaration.spelledType, isSecret: isSecret,
            value: isSecret ? nil : try? found.value.map { try box.encoder($0) },
            domain: found.held?.domain.name ?? (found.isStored ? .application : .declaration),
            origin: found.held?.domain.origin ?? found.origin, answers: answers, change: found.change,
            isDurable: found.isDurable)
    }

    private func outcome(
        of candidate: DomainCandidate, in box: AnySettingBox, _ slot: SettingSlot, _ held: HeldValue?
    ) -> (Explanation.Outcome, problem: String?) {
        guard slot.access != .owner else { return (.ignored, nil) }
        do {
            try box.check(candidate)
            return (held?.domain === candidate.domain ? .inForce : .covered, nil)
        } catch {
            if candidate.isText, TextCandidates.isEmpty(candidate.value) { return (.ignored, nil) }
            return (.refused, SettingsError.reason(error, box.brokenRule(error), isSecret: box.isSecret))
        }
    }

    private func explainUndeclared(_ found: FoundSetting, _ places: NamedPlaces) -> Explanation {
        let isSecret = isSecret(found.key)
        var answers: [Explanation.Answer] = []
        func add(_ domain: DomainName, _ place: String, _ value: SettingValue, locksKey: Bool = false) {
            answers.append(
                Explanation.Answer(
                    domain: domain, place: place, value: isSecret ? nil : value,
                    outcome: answers.isEmpty ? .inForce : .covered, problem: nil, locksKey: locksKey))
        }
        func add(_ candidate: DomainCandidate) {
            let place = place(of: candidate, places)
            add(candidate.domain.name, place, candidate.value, locksKey: candidate.domain.locksKeys)
        }
        let own = newestTree(at: found.place)[found.place]
        for candidate in found.candidates where candidate.domain.isAbove { add(candidate) }
        if let own { add(.application, placeOfOwn(found.place, own, places), own) }
        for candidate in found.candidates where !candidate.domain.isAbove { add(candidate) }
        let value = log.lock.withLock { log.stored.domains.joined(at: found.key, own: own) }
        let first = answers.first?.domain ?? .declaration
        return Explanation(
            key: found.key.description, type: nil, isSecret: isSecret, value: isSecret ? nil : value, domain: first,
            origin: domains[first]?.identity.origin ?? (own == nil ? .default : .loaded), answers: answers, change: nil,
            isDurable: true)
    }

    /// Where another domain has a value; empty if that is not to be named.
    private func place(of candidate: DomainCandidate, _ places: NamedPlaces) -> String {
        places == .all || candidate.domain.locksKeys ? place(of: candidate) : ""
    }

    /// Where the application's domain has a value; empty if that is not to be named.
    private func placeOfOwn(_ key: SettingKey, _ value: SettingValue, _ places: NamedPlaces) -> String {
        guard places == .all else { return "" }
        guard let path = (persister.storage as? FileStorage)?.path else { return "the storage" }
        let calls = ReadOnlySystemCalls(home?.calls ?? POSIXSystemCalls())
        guard let found = KeyLineCache(FileOperations(calls)).look(at: path),
            found.tree[key] == value
        else { return "the journal of “\(path)”" }
        return found.place(of: key)
    }
}

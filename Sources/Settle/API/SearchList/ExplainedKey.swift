#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parts of an explanation, as of one moment between two transactions.
private struct ExplainedKey {
    let key: SettingKey
    /// The key under which the application's domain has the value.
    let place: SettingKey
    /// `nil` if no group in use declares the key.
    let look: SettingLook?
    /// The value that the application's domain has or is about to store, unless `look` has found it stored.
    let own: FoundValue
    let candidates: [DomainCandidate]
    /// The sources of the effective value, for a key without a declaration.
    let sources: [EffectiveSource]
    let change: Explanation.LastChange?
    let isDurable: Bool

    init(_ given: SettingKey, in core: StoreCore) {
        // While a domain changes, it has its new values before the settings do: only between two transactions does the
        // log describe one moment.
        core.writer.lock()
        let log = core.log
        let domains: DomainStack
        (key, place, look, domains, change, isDurable) = log.lock.withLock {
            let place = log.stored.resolved(given)
            let slot = log.stored.slots[place].flatMap { $0.declaration == nil ? nil : $0 }
            let key = slot.map { log.stored.slots.declaredKey(of: $0) } ?? given
            let look = slot.flatMap { SettingLook(at: $0, log, in: core.transaction) }
            let domains = log.stored.domains
            guard let slot, let look else { return (key, place, nil, domains, nil, true) }
            let change = log.changes.ring[slot.lastRevision].map { entry in
                Explanation.LastChange(
                    revision: slot.lastRevision, author: entry.details.author,
                    time: Date(timeIntervalSinceReferenceDate: entry.time))
            }
            let isDurable = slot.lastRevision <= log.changes.durableRevision && !log.unsaved.isUnsaved(slot)
            return (key, place, look, domains, change, isDurable)
        }
        let (value, found) = (look?.box.visibleOwnValue, look == nil ? core.lookUp(place) : nil)
        core.writer.unlock()
        candidates = domains.candidates(at: key)
        if let look {
            own = FoundValue(look.stored == nil ? value.flatMap { try? look.box.encoder($0) } : nil)
            sources = []
        } else {
            own = (try? found?.found(at: place)) ?? .nothing
            sources = domains.sources(of: key, own: own)
        }
    }
}

extension Explanation {
    /// The values whose locations are named. To name a line, the file is read.
    enum NamedPlaces {
        case all, locks, inForce

        fileprivate func includes(_ outcome: Outcome, isLock: Bool) -> Bool {
            switch self {
            case .all: true
            case .locks: isLock
            case .inForce: outcome == .inForce
            }
        }
    }

    /// - Parameter namesMisspelt: Whether to find variables that may be meant for the key.
    init(
        of given: SettingKey, in core: StoreCore, placing places: NamedPlaces = .all, namesMisspelt: Bool = true
    ) {
        let found = ExplainedKey(given, in: core)
        let (look, own, inForce) = (found.look, found.own.value, found.sources.inForce)
        let isSecret = look?.isSecret ?? core.isSecret(found.key)
        var answers: [Answer] = []
        func add(
            _ domain: DomainName, _ place: String, _ value: SettingValue?, _ outcome: Outcome, problem: String? = nil,
            locksKey: Bool = false
        ) {
            answers.append(
                Answer(
                    domain: domain, place: place, value: isSecret ? nil : value, outcome: outcome, problem: problem,
                    locksKey: locksKey))
        }
        func add(_ candidate: DomainCandidate) {
            let domain = candidate.domain
            let isInForce = inForce.contains { $0.candidate?.domain === domain }
            let (outcome, problem) = look?.outcome(of: candidate) ?? (isInForce ? .inForce : .covered, nil)
            let place = places.includes(outcome, isLock: domain.locksKeys) ? core.place(of: candidate) : ""
            add(
                domain.name, place, candidate.value, outcome, problem: problem,
                locksKey: domain.locksKeys && look?.access != .owner)
        }
        func addOwn(_ value: SettingValue, _ outcome: Outcome, problem: String? = nil) {
            let place = places.includes(outcome, isLock: false) ? core.placeOfOwn(found.place, value) : ""
            add(.application, place, value, outcome, problem: problem)
        }
        for candidate in found.candidates where candidate.domain.isAbove { add(candidate) }
        if let look {
            let outcome: Outcome = look.held == nil ? .inForce : .covered
            if let stored = look.stored {
                let problem = look.problem
                addOwn(stored, problem == nil ? outcome : .refused, problem: problem?.description)
                if problem != nil, look.isStored { add(.application, "the last good value", look.lastGood, outcome) }
            } else if look.isStored {
                add(.application, look.isUnsaved ? "not saved yet" : "kept in memory only", own, outcome)
            }
        } else if let own {
            addOwn(own, inForce.contains { $0.candidate == nil } ? .inForce : .covered)
        }
        for candidate in found.candidates where !candidate.domain.isAbove { add(candidate) }
        if let look {
            let isInForce = look.held == nil && !look.isStored
            add(.declaration, look.declaration, look.box.encodedDefault, isInForce ? .inForce : .covered)
        }
        let first = inForce.first.map { $0.candidate?.domain.name ?? .application }
        let domain = look?.domain ?? first ?? .declaration
        key = found.key.description
        type = look?.box.declaration.spelledType
        self.isSecret = isSecret
        value = isSecret ? nil : look.map(\.encodedValue) ?? found.sources.joined
        self.domain = domain
        origin = look?.origin ?? core.domains[domain]?.identity.origin ?? (first == nil ? .default : .loaded)
        self.answers = answers
        misspeltVariables =
            look == nil || !namesMisspelt ? [] : core.unknownVariables { $0.unknownVariables(near: found.key) }
        change = found.change
        isDurable = found.isDurable
    }
}

extension SettingLook {
    func outcome(of candidate: DomainCandidate) -> (Explanation.Outcome, problem: String?) {
        guard access != .owner else { return (.ignored, nil) }
        do {
            try box.check(candidate)
            return (held?.domain === candidate.domain ? .inForce : .covered, nil)
        } catch {
            if candidate.isText, TextCandidates.isEmpty(candidate.value) { return (.ignored, nil) }
            return (.refused, SettingsError.reason(error, box.brokenRule(error), isSecret: isSecret))
        }
    }
}

extension StoreCore {
    /// Returns the location at which the application's domain has a value.
    fileprivate func placeOfOwn(_ key: SettingKey, _ value: SettingValue) -> String {
        guard let path = (persister.storage as? FileStorage)?.path else { return "the storage" }
        let operations = FileOperations(ReadOnlySystemCalls(home?.calls ?? POSIXSystemCalls()))
        let names = FileNames((try? operations.resolve(path).resolved) ?? path)
        let looks = [path, names.state].lazy.compactMap { KeyLineCache(operations).look(at: $0) }
        return looks.first { $0.tree[key] == value }?.place(of: key) ?? "the journal of “\(path)”"
    }
}

/// Domains other than the application's. All functions here require the writer's lock.
extension Engine {
    /// Whether the calling thread runs a transaction of this store.
    final var isInTransaction: Bool { writer.isHeldByCurrentThread && transaction != nil }

    /// Returns the key of a setting as its declaration spells it. Other domains know the setting by this key.
    final func declaredKey(of slot: SettingSlot) -> SettingKey {
        log.lock.withLock { log.stored.slots.declaredKey(of: slot) }
    }

    /// Returns the values of other domains for a key, in the order of the search list.
    final func candidates(at key: SettingKey, above isAbove: Bool) -> [DomainCandidate] {
        if let target = transaction?.target { return target.stack.candidates(at: key, above: isAbove) }
        return log.lock.withLock { log.stored.domains.candidates(at: key, above: isAbove) }
    }

    final func candidates(at key: SettingKey) -> [DomainCandidate] {
        candidates(at: key, above: true) + candidates(at: key, above: false)
    }

    /// Returns whether another domain has a value for a setting. Owner-only settings have only their owner's values.
    final func isLayered(_ slot: SettingSlot, _ key: SettingKey) -> Bool {
        guard slot.access != .owner else { return false }
        if let target = transaction?.target { return target.stack.concerns(key) }
        return log.lock.withLock { log.stored.domains.concerns(key) }
    }

    /// Replaces the values of a domain, and publishes one change for the settings whose values in force differ.
    ///
    /// - Throws: ``SettingsError`` if the store is closed.
    final func replace(_ contents: DomainContents, in domain: DomainIdentity, author: String? = nil) throws {
        var contents = contents
        // A settings file has this record, and it is about that file.
        _ = MigrationRecord(takenFrom: &contents.tree)
        try transact(origin: domain.origin, author: author, domain: domain) {
            restage(log.replace(contents, in: domain), after: domain)
        }
    }

    /// Sets values of a domain, and publishes one change for the settings whose values in force differ.
    final func set(
        _ values: [SettingKey: SettingValue?], in domain: DomainIdentity, author: String? = nil
    ) throws {
        try transact(origin: domain.origin, author: author, domain: domain) {
            restage(log.set(values, in: domain), after: domain)
        }
    }

    /// Decides the values in force again, and wakes the followers of values that are in no transaction. Requires a
    /// transaction.
    private final func restage(_ affected: AffectedSlots, after domain: DomainIdentity) {
        for slot in affected.sorted { slot.box?.restage(after: domain) }
        actAfterUnlock(on: log.countArrival(covered: affected.covered))
    }

    /// Runs a closure whose writes go to a domain instead of the application's, and undoes it.
    ///
    /// - Parameter tree: The values of the domain.
    /// - Returns: The writes, for the caller to carry out, and whether the closure has also written other stores. These
    ///   writes stay if the caller fails.
    final func collectWrites<Result>(
        in domain: DomainIdentity, over tree: SettingTree, _ body: () throws -> Result
    ) throws -> (Result, [SettingKey: SettingValue?], wroteElsewhere: Bool) {
        guard !isInTransaction else { throw SettingsError.insideTransaction(domain.name) }
        var collected: (Result, [SettingKey: SettingValue?], Bool)?
        do {
            try transact(origin: domain.origin, author: nil, domain: domain) {
                var stack = log.lock.withLock { log.stored.domains }
                let isText = stack.contents(of: domain)?.isText == true
                let known = stack.replace(DomainContents(tree, isText: isText), in: domain)
                transaction?.target = DomainTarget(domain: domain, stack: stack)
                // What others have stored in the domain, and what is not in force here yet.
                let affected = log.affected(in: domain, by: tree, replacing: known)
                for slot in affected.sorted { slot.box?.restage(after: domain) }
                let result = try body()
                if let violation = transaction?.violation { throw violation }
                for box in transaction?.boxes ?? [] where isSet(box) { reportIfCovered(box) }
                let wroteElsewhere = RunningUpdates.writesElsewhere(in: self) > 0
                collected = (result, transaction?.target?.writes ?? [:], wroteElsewhere)
                // The caller carries out the writes, so those to other stores are not left alone.
                writesElsewhere = 0
                throw CollectedWrites()
            }
        } catch is CollectedWrites {}
        guard let collected else { throw SettingsError.closed(key: nil) }
        return collected
    }

    /// Returns whether the transaction gives a setting a value in the domain that it writes.
    private final func isSet(_ box: AnySettingBox) -> Bool {
        guard let writes = transaction?.target?.writes, let slot = box.existingPlacement?.slot else { return false }
        return (writes[declaredKey(of: slot)] ?? nil) != nil
    }

    /// Records a write to the domain that the transaction writes.
    ///
    /// - Returns: False if that is the application's.
    final func divert(_ value: SettingValue?, at key: SettingKey) -> Bool {
        guard transaction?.target != nil else { return false }
        for name in earlierNames(of: key) { transaction?.target?.set(nil, at: name) }
        transaction?.target?.set(value, at: key)
        return true
    }

    /// Returns the earlier names of a key under which the secret store that the transaction writes still has a secret:
    /// it would be in force again if the one under the current name were removed.
    private final func earlierNames(of key: SettingKey) -> [SettingKey] {
        guard let target = transaction?.target, target.domain.holdsSecrets else { return [] }
        let tree = target.stack.contents(of: target.domain)?.tree ?? SettingTree()
        let names = target.stack.oldNames(of: key).filter { tree[$0] != nil }
        return names.isEmpty ? [] : log.lock.withLock { names.filter { log.stored.slots.declared(as: $0) == nil } }
    }

    // MARK: The secret store

    /// Throws if the transaction would write a setting of the secret store to another domain, or any other setting to
    /// the secret store.
    final func checkTarget(of slot: SettingSlot) throws(SettingsError) {
        guard let target = transaction?.target?.domain, target.holdsSecrets != slot.isStoredInSecrets else { return }
        throw target.holdsSecrets ? .notStoredInSecrets(slot.key, in: target.name) : storedInSecrets(slot.key)
    }

    /// Returns the error for a write that would store a value of the secret store elsewhere.
    final func storedInSecrets(_ key: SettingKey) -> SettingsError {
        let store = log.lock.withLock { log.stored.domains.layers.first { $0.domain.holdsSecrets }?.domain.name }
        return .storedInSecrets(key, in: store)
    }

    /// Reports, once for each key, that the settings have a value that belongs to the secret store.
    final func reportIfExposed(_ box: AnySettingBox, at key: SettingKey) {
        guard box.declaration.isStoredInSecrets, reports.isNew(exposing: key) else { return }
        reportAfterUnlock(.secretInSettings(key))
    }

    // MARK: Reports

    /// Reports that a value of another domain can't be used, once.
    final func reportSkipped(
        _ candidate: DomainCandidate, of box: AnySettingBox, for key: SettingKey, _ error: any Error
    ) {
        guard reports.isNew(skipping: candidate, for: key) else { return }
        reportAfterUnlock(
            .skipped(
                key, in: candidate.domain.name, at: place(of: candidate),
                stored: Redacted(candidate.value, isSecret: box.isSecret), rule: box.brokenRule(error),
                isLocked: candidate.domain.locksKeys, error))
    }

    /// Reports that a domain has a value under an earlier name of its key, once.
    final func reportRenamed(_ candidate: DomainCandidate, to key: SettingKey) {
        guard reports.isNew(renaming: candidate) else { return }
        reportAfterUnlock(.renamed(candidate.key, to: key, in: candidate.domain.name, at: place(of: candidate)))
    }

    /// Reports, once for each key, if another domain covers a staged value that is going to be stored.
    final func reportIfCovered(_ box: AnySettingBox) {
        guard let domain = box.staged?.held?.domain, domain.isAbove, domain !== transaction?.target?.domain,
            let slot = box.existingPlacement?.slot
        else { return }
        let key = declaredKey(of: slot)
        guard reports.isNew(covering: key) else { return }
        reportAfterUnlock(.covered(key, by: domain.name, at: place(of: key, in: domain)))
    }

    final func place(of candidate: DomainCandidate) -> String { place(of: candidate.key, in: candidate.domain) }
}

/// Undoes a transaction whose writes have been collected.
private struct CollectedWrites: Error {}

/// The domain that a transaction writes, with its writes so far.
struct DomainTarget {
    let domain: DomainIdentity
    /// The domains with these writes.
    var stack: DomainStack
    var writes: [SettingKey: SettingValue?] = [:]

    mutating func set(_ value: SettingValue?, at key: SettingKey) {
        _ = stack.set([(key, value)], in: domain)
        writes.updateValue(value, forKey: key)
    }
}

/// The issues reported about domains, so that each is reported only once.
struct DomainReports {
    private struct Skipped: Hashable {
        let domain: DomainName
        let key: SettingKey
    }

    private var skipped: [Skipped: SettingValue] = [:]
    private var covered: Set<SettingKey> = []
    private var renamed: [DomainName: Set<SettingKey>] = [:]
    private var exposed: Set<SettingKey> = []
    /// The problems that each domain's source has found last.
    private var problems: [DomainName: Set<String>] = [:]

    /// Returns whether a value has not been reported as unusable yet.
    mutating func isNew(skipping candidate: DomainCandidate, for key: SettingKey) -> Bool {
        let value = skipped.updateValue(candidate.value, forKey: Skipped(domain: candidate.domain.name, key: key))
        return value != candidate.value
    }

    mutating func isNew(renaming candidate: DomainCandidate) -> Bool {
        renamed[candidate.domain.name, default: []].insert(candidate.key).inserted
    }

    /// Returns the problems of a domain's source that it did not have before.
    mutating func new(among problems: [String], in domain: DomainName) -> [String] {
        let known = self.problems.updateValue(Set(problems), forKey: domain) ?? []
        return problems.filter { !known.contains($0) }
    }

    mutating func isNew(covering key: SettingKey) -> Bool { covered.insert(key).inserted }

    mutating func isNew(exposing key: SettingKey) -> Bool { exposed.insert(key).inserted }
}

extension MutationLog {
    /// Replaces the values of a domain.
    ///
    /// - Returns: The settings that may be affected.
    func replace(_ contents: DomainContents, in domain: DomainIdentity) -> AffectedSlots {
        let old = lock.withLock { stored.domains.replace(contents, in: domain) }
        return affected(in: domain, by: contents.tree, replacing: old)
    }

    /// Returns the settings that other values of a domain may affect.
    func affected(in domain: DomainIdentity, by tree: SettingTree, replacing old: SettingTree) -> AffectedSlots {
        lock.withLock {
            var affected = AffectedSlots(changing: domain, stored.domains)
            guard !stored.slots.isEmpty, old != tree else { return affected }
            stored.collectSlots(below: nil, old.root, tree.root, &affected)
            return affected
        }
    }

    /// Sets some values of a domain; `nil` removes one.
    ///
    /// - Returns: The settings that may be affected.
    func set(_ values: [SettingKey: SettingValue?], in domain: DomainIdentity) -> AffectedSlots {
        lock.withLock {
            var affected = AffectedSlots(changing: domain, stored.domains)
            let values = values.sorted(by: \.key)
            for ((key, value), old) in zip(values, stored.domains.set(values, in: domain)) where old != value {
                for parent in key.parents {
                    let current = stored.domains.currentKey(of: parent)
                    affected.insert(stored.slots.declaredOrPlaced(at: current), isRemoved: value == nil)
                }
                stored.collectSlots(at: key, old, value, &affected)
            }
            return affected
        }
    }
}

/// The settings whose values in force may be affected by a change of a domain, each of them once.
struct AffectedSlots {
    private let domain: DomainIdentity
    /// The domains that are asked before it.
    private let upper: [DomainIdentity]
    private var slots: [ObjectIdentifier: SettingSlot] = [:]
    /// The settings that keep the value of a domain above the application's and have none of the application's: a
    /// draft may show the changed value. A setting may occur more than once.
    private(set) var covered: [SettingSlot] = []

    init(changing domain: DomainIdentity, _ stack: DomainStack) {
        self.domain = domain
        upper = stack.layers.map(\.domain).prefix { $0 !== domain }.map { $0 }
    }

    /// Inserts a setting that may be affected. Requires the writer's lock.
    ///
    /// - Parameter isRemoved: Whether the domain no longer has a value for the setting.
    mutating func insert(_ slot: SettingSlot?, isRemoved: Bool) {
        guard let slot, let box = slot.box else { return }
        if !domain.isAbove, let held = box.held, held.domain.isAbove, held.own == nil { covered.append(slot) }
        if !isCovered(box, of: slot, isRemoved) { slots[ObjectIdentifier(slot)] = slot }
    }

    /// Returns whether a domain that is asked before it has the setting, so that nothing has to be decided again.
    private func isCovered(_ box: AnySettingBox, of slot: SettingSlot, _ isRemoved: Bool) -> Bool {
        guard box.isLayered, box.staged == nil, !box.isFollowing else { return false }
        if let held = box.held { return upper.contains { $0 === held.domain } }
        // The last value beside the application's decides whether the setting is layered.
        return slot.isStored && !domain.isAbove && !isRemoved
    }

    var sorted: [SettingSlot] { slots.values.sorted(by: \.key) }
}

extension StoredValues {
    /// Finds the settings at which two dictionaries differ.
    func collectSlots(
        below outer: SettingKey?, _ old: SettingValue.Entries, _ new: SettingValue.Entries,
        _ found: inout AffectedSlots
    ) {
        var common = 0
        for (position, entry) in new.table.entries.enumerated() {
            let before = old.table.value(of: entry.name, expectedAt: position)
            if before != nil { common += 1 }
            guard before != entry.value else { continue }
            let key = outer?.appending(component: entry.name.text) ?? SettingKey(name: entry.name.text)
            collectSlots(at: key, before, entry.value, &found)
        }
        guard common < old.count else { return }
        for (name, value) in old where new[name] == nil {
            let key = outer?.appending(component: name) ?? SettingKey(name: name)
            collectSlots(at: key, value, nil, &found)
        }
    }

    func collectSlots(
        at key: SettingKey, _ old: SettingValue?, _ new: SettingValue?, _ found: inout AffectedSlots
    ) {
        found.insert(slots.declaredOrPlaced(at: domains.currentKey(of: key)), isRemoved: new == nil)
        // A name with dots stands for the path, which may be an earlier name.
        if domains.renaming != nil, key.asPath != key {
            found.insert(slots.declaredOrPlaced(at: domains.currentKey(of: key.asPath)), isRemoved: new == nil)
        }
        let (old, new) = (old?.entries, new?.entries)
        if old != nil || new != nil { collectSlots(below: key, old ?? [:], new ?? [:], &found) }
    }
}

extension SettingValue {
    /// The entries of a dictionary.
    fileprivate var entries: Entries? {
        if case .dictionary(let entries) = self { entries } else { nil }
    }
}

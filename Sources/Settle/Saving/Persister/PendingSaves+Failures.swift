/// Handles values whose save has failed or that the storage refuses.
extension PendingSaves {
    /// Records that an append of all values has failed.
    mutating func appendFailed() {
        guard !values.isEmpty else { return }
        isRetry = true
        link([])
    }

    /// Records that a commit has failed; `keys` are the pending keys that it wrote.
    mutating func commitFailed(_ keys: [SettingKey]) {
        link([keys])
        committed.formUnion(keys)
        if isBehind { contestCommits() }
    }

    /// Records that others have stored something.
    ///
    /// - Parameters:
    ///   - undelivered: Their earlier changes that the store has not merged.
    ///   - tree: All stored values with those changes, to compare with a change of everything.
    ///   - last: The newest revision that has been collected.
    mutating func changedOutside(
        _ changes: [ExternalChange], after undelivered: [ExternalChange], stored tree: SettingTree?,
        collected last: UInt64
    ) {
        let keys = isRetry ? Array(values.keys) + writtenBack.keys : []
        var known = replaced.merging(writtenBack.compactMapValues { $0 }) { own, _ in own }
        for change in undelivered where isRetry { known = change.values(at: keys, over: known) }
        for change in changes {
            switch change.content {
            case .unusable: continue
            case .values(let values): if values.isEmpty { continue }
            case .everything(let everything): if everything == tree { continue }
            }
            contestCommits()
            guard isRetry else { continue }
            let new = change.values(at: keys, over: known)
            let changed = keys.filter { known[$0] != new[$0] }
            // Their newer values must not be overwritten by values written back or appended again.
            for key in changed { writtenBack.removeValue(forKey: key) }
            if !changed.isEmpty { leaveUnresolved(last) }
            // A value that others have stored as well is not lost.
            for key in changed where values[key].map({ $0 != new[key] }) ?? true { contested[key] = .replaced }
            known = new
        }
    }

    /// The keys to give up: the contested ones, and all that were written together with them.
    var lost: Set<SettingKey> {
        var lost = Set(contested.keys)
        guard !lost.isEmpty else { return [] }
        for unit in units.united() where !lost.isDisjoint(with: unit) { lost.formUnion(unit) }
        return lost
    }

    /// Gives up the values that are lost.
    ///
    /// - Parameters:
    ///   - changes: The changes of others that the store has not merged.
    ///   - isLocked: Whether others are excluded by the storage's lock. Then the old value is written back, unless
    ///     others have stored a newer one: the append that threw may still have taken effect. Without a lock the
    ///     storage reports that.
    /// - Returns: The stored values at their keys, and whether a commit had written there.
    mutating func giveUpContested(
        with changes: [ExternalChange], isLocked: Bool
    ) -> [(key: SettingKey, stored: SettingValue?, isCommitted: Bool)] {
        let lost = lost.filter { values[$0] != nil }
        guard !lost.isEmpty else { return [] }
        let stored = stored(with: changes)
        let givenUp = lost.sorted().map { (key: $0, stored: stored[$0], isCommitted: committed.contains($0)) }
        for key in lost {
            if isLocked, contested[key] != .replaced { writtenBack.updateValue(stored[key], forKey: key) }
            discard(key)
        }
        forget(lost)
        contested = [:]
        return givenUp
    }

    /// Stops appending the batch whose answer was lost.
    ///
    /// - Parameter last: The newest revision that has been collected.
    mutating func leaveUnresolved(_ last: UInt64) {
        // A part has some of the transactions after its revision.
        if let batch = unresolved { unknownRevision = batch.isPart ? last : max(unknownRevision, batch.revision) }
        unresolved = nil
    }

    // MARK: Units

    /// Returns a key with all keys that were written together with it.
    func united(_ key: SettingKey) -> Set<SettingKey> {
        Set(units.united().first { $0.contains(key) } ?? [key])
    }

    mutating func link(_ groups: [[SettingKey]]) {
        units += groups.lazy.filter { $0.count > 1 }
        // While saving fails, units grow with every transaction; keep at most one of each key.
        if isRetry, units.count > 1 { units = units.united() }
    }

    /// Removes keys whose values are no longer pending.
    mutating func forget(_ keys: Set<SettingKey>) {
        if !units.isEmpty {
            units = units.united().map { $0.filter { !keys.contains($0) } }.filter { $0.count > 1 }
        }
        committed.subtract(keys)
        for key in keys { contested[key] = nil }
    }

    // MARK: Refused values

    /// Returns the keys of the largest values, largest first.
    func largest(_ count: Int) -> [SettingKey] {
        // Skip values with a later write inside them: set aside, they would be stored after it and overwrite it.
        let outer = values.keys.grouped { values[$0] != nil }
        return values.lazy.filter { outer[$0.key] == nil }.largest(count) { $0.value?.roughSize ?? 0 }.map(\.key)
    }

    /// Returns the keys to set aside with a value; `nil` if a later write within one of them stays, because they would
    /// overwrite it once they are stored.
    func unitToSetAside(with key: SettingKey) -> Set<SettingKey>? {
        let unit = united(key).filter { values[$0] != nil }
        let canSetAside = values.keys.allSatisfy { unit.contains($0) || !$0.parents.contains(where: unit.contains) }
        return canSetAside ? unit : nil
    }

    /// Records that the storage refuses a unit, whose values are set aside and tried again together.
    mutating func refuse(_ unit: Set<SettingKey>) {
        refused.removeAll { !$0.isDisjoint(with: unit) }
        if unit.count > 1 { refused.append(unit) }
    }

    /// Removes a value that the storage refuses.
    ///
    /// - Returns: The value that is left at its key.
    mutating func setAside(_ key: SettingKey) -> SettingValue? {
        var left = SettingTree()
        left[key] = replaced[key]
        discard(key)
        for outer in key.parents { if let value = values[outer] { left[outer] = value } }
        return left[key]
    }
}

extension Sequence<[SettingKey]> {
    /// Returns the groups after joining those with a key in common.
    func united() -> [[SettingKey]] {
        var leaders: [SettingKey: SettingKey] = [:]
        func leader(of key: SettingKey) -> SettingKey {
            var key = key
            while let next = leaders[key], next != key {
                leaders[key] = leaders[next]  // Halves the way for the next time.
                key = next
            }
            return key
        }
        for group in self {
            guard let first = group.first.map(leader) else { continue }
            leaders[first] = first
            for key in group { leaders[leader(of: key)] = first }
        }
        return Array(Dictionary(grouping: Array(leaders.keys), by: leader).values)
    }
}

extension Sequence {
    /// Returns the elements with the largest sizes, largest first. Evaluates each size once.
    func largest(_ count: Int, by size: (Element) -> Int) -> [Element] {
        var largest: [(element: Element, size: Int)] = []
        for element in self {
            let size = size(element)
            if largest.count == count {
                guard let smallest = largest.last, smallest.size < size else { continue }
                largest.removeLast()
            }
            let index = largest.firstIndex { $0.size < size } ?? largest.endIndex
            largest.insert((element, size), at: index)
        }
        return largest.map(\.element)
    }
}

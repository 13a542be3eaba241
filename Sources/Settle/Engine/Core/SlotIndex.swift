/// The settings of a store by key. Finds the settings around and within a key without a scan of all settings.
struct SlotIndex {
    private var slots: [SettingKey: SettingSlot] = [:]
    /// Every key with settings within it.
    private var branches: [SettingKey: Branch] = [:]
    /// The settings whose values are not at their declared keys, by these keys; and the declared keys, by the settings'
    /// own keys.
    private var displaced: [SettingKey: SettingSlot] = [:]
    private var declaredKeys: [SettingKey: SettingKey] = [:]
    /// The declared keys that have backslashes, by their names joined with dots.
    private var escaped: [SettingKey: [SettingKey]] = [:]
    /// Other spellings of settings' keys at which something is or was stored, by the settings' own keys.
    private var spellings: [SettingKey: Set<SettingKey>] = [:]

    /// The number of settings without a declaration.
    private var undeclaredCount = 0
    /// Whether there is, or was, an owner-only setting.
    private(set) var hasOwners = false

    private struct Branch {
        /// The settings and branches directly within it.
        var children: Set<SettingKey> = []
        /// The numbers of secrets and of owner-only settings within it, at any depth.
        var secrets = 0
        var owned = 0
    }

    var isEmpty: Bool { slots.isEmpty }
    /// Whether there are settings without a declaration.
    var hasUndeclared: Bool { undeclaredCount > 0 }
    var all: Dictionary<SettingKey, SettingSlot>.Values { slots.values }

    /// Returns the setting with this key as its own or its declared key.
    subscript(key: SettingKey) -> SettingSlot? { displaced.isEmpty ? slots[key] : displaced[key] ?? slots[key] }

    /// Returns the setting with this key as its own.
    func placed(at key: SettingKey) -> SettingSlot? { slots[key] }

    /// Adds a setting, replacing another one with the same key.
    ///
    /// - Parameter declared: Its declared key, if its own key is another one.
    mutating func insert(_ slot: SettingSlot, declaredAs declared: SettingKey? = nil) {
        let key = slot.key
        if let replaced = slots.updateValue(slot, forKey: key) { count(replaced, at: key, -1) }
        count(slot, at: key, 1)
        addBranches(to: key)
        let declared = declared ?? key
        if declared != key {
            displaced[declared] = slot
            declaredKeys[key] = declared
            count(slot, at: declared, 1)
            addBranches(to: declared)
        }
        if slot.declaration != nil, let joined = declared.joinedNames { escaped[joined, default: []].append(declared) }
    }

    private mutating func addBranches(to key: SettingKey) {
        var child = key
        while let parent = child.parent {
            let isKnown = branches[parent]?.children.isEmpty == false
            branches[parent, default: Branch()].children.insert(child)
            if isKnown { break }
            child = parent
        }
    }

    /// Removes a setting, unless another one has replaced it.
    mutating func remove(_ slot: SettingSlot) {
        let key = slot.key
        guard slots[key] === slot else { return }
        slots[key] = nil
        spellings[key] = nil
        count(slot, at: key, -1)
        removeBranches(to: key)
        let declared = declaredKeys.removeValue(forKey: key) ?? key
        if declared != key {
            displaced[declared] = nil
            count(slot, at: declared, -1)
            removeBranches(to: declared)
        }
        guard slot.declaration != nil, let joined = declared.joinedNames else { return }
        escaped[joined]?.removeAll { $0 == declared }
        if escaped[joined]?.isEmpty == true { escaped[joined] = nil }
    }

    private mutating func removeBranches(to key: SettingKey) {
        var child = key
        while self[child] == nil, branches[child] == nil, let parent = child.parent {
            branches[parent]?.children.remove(child)
            if branches[parent]?.children.isEmpty == true { branches[parent] = nil }
            child = parent
        }
    }

    /// Makes a setting owner-only, permanently.
    mutating func makeOwned(_ key: SettingKey) {
        guard let slot = slots[key], slot.access != .owner else { return }
        slot.access = .owner
        hasOwners = true
        for parent in key.parents { branches[parent, default: Branch()].owned += 1 }
        for parent in declaredKeys[key]?.parents ?? [] { branches[parent, default: Branch()].owned += 1 }
    }

    private mutating func count(_ slot: SettingSlot, at key: SettingKey, _ step: Int) {
        if slot.declaration == nil { undeclaredCount += step }
        guard slot.isSecret || slot.access == .owner else { return }
        if slot.access == .owner { hasOwners = true }
        for parent in key.parents {
            if slot.isSecret { branches[parent, default: Branch()].secrets += step }
            if slot.access == .owner { branches[parent, default: Branch()].owned += step }
        }
    }

    // MARK: Spellings

    /// The declared key of a setting.
    func declaredKey(of slot: SettingSlot) -> SettingKey { declaredKeys[slot.key] ?? slot.key }

    /// Returns the declared setting that a key means: by its own key, by its declared key, or by a spelling of that in
    /// which the last names are one name with dots. An opening would use such a spelling as the setting's own key if
    /// something were stored there.
    func declared(as key: SettingKey) -> SettingSlot? {
        if let slot = self[key], slot.declaration != nil { return slot }
        guard let joined = key.joinedNames else { return nil }
        var found: SettingSlot?
        for declared in [joined] + (escaped[joined] ?? []) {
            guard let slot = self[declared], slot.declaration != nil, declared.literals.contains(key) else { continue }
            // A key may mean several settings: protected ones take precedence.
            if found == nil || slot.access == .owner { found = slot }
        }
        guard found != nil, branches[key] != nil, within(key).contains(where: { $0.declaration != nil }) else {
            return found
        }
        return nil
    }

    /// Returns the declared setting that a key means, or else the setting with this key as its own.
    func declaredOrPlaced(at key: SettingKey) -> SettingSlot? { declared(as: key) ?? placed(at: key) }

    /// Returns the key with the value, if the given key means a declared setting or a part of one and is not its own
    /// key.
    func place(of key: SettingKey) -> SettingKey? {
        if let slot = declared(as: key) { return slot.key }
        for parent in key.parents.reversed() {
            guard let slot = declared(as: parent) else { continue }
            return slot.key == parent ? nil : parent.rest(of: key).map { slot.key.appending($0) }
        }
        return nil
    }

    /// Returns all keys other than its own that mean a setting, and no other one.
    func otherSpellings(of slot: SettingSlot) -> [SettingKey] {
        let declared = declaredKey(of: slot)
        return (declared.literals + [declared]).filter { $0 != slot.key && self.declared(as: $0) === slot }
    }

    /// Returns all keys under which the value of a setting may be stored, its own first.
    func places(of slot: SettingSlot) -> [SettingKey] { [slot.key] + otherSpellings(of: slot) }

    /// Records that something is stored at a spelling of a setting's key other than its own.
    mutating func addSpelling(_ spelling: SettingKey, of slot: SettingSlot) {
        spellings[slot.key, default: []].insert(spelling)
    }

    /// Returns the recorded spellings of a setting's key.
    func knownSpellings(of slot: SettingSlot) -> Set<SettingKey> {
        guard !spellings.isEmpty, slot.declaration != nil else { return [] }
        return spellings[slot.key] ?? []
    }

    /// All recorded spellings.
    var knownSpellings: [SettingKey] { spellings.values.flatMap { $0 } }
    var hasOtherSpellings: Bool { !spellings.isEmpty }

    // MARK: Around and within

    /// Returns the settings within a key, in no particular order.
    func within(_ key: SettingKey) -> [SettingSlot] {
        var found: [SettingSlot] = []
        var keys = Array(branches[key]?.children ?? [])
        while let next = keys.popLast() {
            // A setting whose own key also lies within the key is found there.
            if let slot = self[next], slot.key == next || !key.contains(slot.key) { found.append(slot) }
            if let branch = branches[next] { keys += branch.children }
        }
        return found
    }

    /// Returns the settings whose own keys are at, around or within a key, in no particular order.
    func overlapping(_ key: SettingKey) -> [SettingSlot] {
        var found = (key.parents + [key]).compactMap { slots[$0] }
        var keys = Array(branches[key]?.children ?? [])
        while let next = keys.popLast() {
            if let slot = slots[next] { found.append(slot) }
            if let branch = branches[next] { keys += branch.children }
        }
        return found
    }

    /// Returns whether there is a setting at, around or within a key.
    func concerns(_ key: SettingKey) -> Bool {
        self[key] != nil || branches[key] != nil || key.parents.contains { self[$0] != nil }
    }

    /// Returns the settings around a key, from the inside out.
    func around(_ key: SettingKey) -> [SettingSlot] {
        key.parents.reversed().compactMap { self[$0] }
    }

    /// Returns a setting around or within a key.
    func neighbour(of key: SettingKey) -> SettingSlot? {
        for parent in key.parents {
            if let slot = self[parent] { return slot }
        }
        return first(within: key)
    }

    /// Returns a setting of an owner's group at, around or within a key.
    func owned(at key: SettingKey) -> SettingSlot? {
        for key in [key] + key.parents {
            if let slot = self[key], slot.access == .owner { return slot }
        }
        guard let branch = branches[key], branch.owned > 0 else { return nil }
        return within(key).filter { $0.access == .owner }.min { $0.key < $1.key }
    }

    /// Returns whether a setting at, around or within a key is a secret.
    func isSecret(_ key: SettingKey) -> Bool {
        if self[key]?.isSecret == true || branches[key].map({ $0.secrets > 0 }) == true { return true }
        return key.parents.contains { self[$0]?.isSecret == true }
    }

    private func first(within key: SettingKey) -> SettingSlot? {
        var next = key
        // Every branch has a setting in it.
        while let child = branches[next]?.children.first {
            if let slot = self[child] { return slot }
            next = child
        }
        return nil
    }
}

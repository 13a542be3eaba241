/// The settings of a store by key, with what lies around and within a key found without a look at the others.
struct SlotIndex {
    private var slots: [SettingKey: SettingSlot] = [:]
    /// Every key that has settings within it.
    private var branches: [SettingKey: Branch] = [:]

    private struct Branch {
        /// The settings and branches directly within it.
        var children: Set<SettingKey> = []
        /// How many settings within it, at any depth, are secrets, and how many their owner's.
        var secrets = 0
        var owned = 0
    }

    var isEmpty: Bool { slots.isEmpty }
    var all: Dictionary<SettingKey, SettingSlot>.Values { slots.values }

    subscript(key: SettingKey) -> SettingSlot? { slots[key] }

    /// Adds a setting, in the place of another one that has its key.
    mutating func insert(_ slot: SettingSlot) {
        let key = slot.key
        if let replaced = slots.updateValue(slot, forKey: key) { count(replaced, at: key, -1) }
        count(slot, at: key, 1)
        var child = key
        while let parent = child.parent {
            let isKnown = branches[parent]?.children.isEmpty == false
            branches[parent, default: Branch()].children.insert(child)
            if isKnown { break }
            child = parent
        }
    }

    /// Takes a setting out, if it is there itself and not one that has taken its place.
    mutating func remove(_ slot: SettingSlot) {
        let key = slot.key
        guard slots[key] === slot else { return }
        slots[key] = nil
        count(slot, at: key, -1)
        var child = key
        while slots[child] == nil, branches[child] == nil, let parent = child.parent {
            branches[parent]?.children.remove(child)
            if branches[parent]?.children.isEmpty == true { branches[parent] = nil }
            child = parent
        }
    }

    /// Makes a setting its owner's, for good.
    mutating func makeOwned(_ key: SettingKey) {
        guard let slot = slots[key], slot.access != .owner else { return }
        slot.access = .owner
        for parent in key.parents { branches[parent, default: Branch()].owned += 1 }
    }

    private mutating func count(_ slot: SettingSlot, at key: SettingKey, _ step: Int) {
        guard slot.isSecret || slot.access == .owner else { return }
        for parent in key.parents {
            if slot.isSecret { branches[parent, default: Branch()].secrets += step }
            if slot.access == .owner { branches[parent, default: Branch()].owned += step }
        }
    }

    // MARK: Around and within

    /// The settings within a key, in no order.
    func within(_ key: SettingKey) -> [SettingSlot] {
        var found: [SettingSlot] = []
        var keys = Array(branches[key]?.children ?? [])
        while let next = keys.popLast() {
            if let slot = slots[next] { found.append(slot) }
            if let branch = branches[next] { keys += branch.children }
        }
        return found
    }

    /// Whether there is a setting at, around or within a key.
    func concerns(_ key: SettingKey) -> Bool {
        slots[key] != nil || branches[key] != nil || around(key) != nil
    }

    /// The innermost setting around a key.
    func around(_ key: SettingKey) -> SettingSlot? {
        key.parents.lazy.reversed().compactMap { slots[$0] }.first
    }

    /// A setting around or within a key.
    func neighbour(of key: SettingKey) -> SettingSlot? {
        for parent in key.parents {
            if let slot = slots[parent] { return slot }
        }
        return first(within: key)
    }

    /// A setting of an owner's group at, around or within a key.
    func owned(at key: SettingKey) -> SettingSlot? {
        for key in [key] + key.parents {
            if let slot = slots[key], slot.access == .owner { return slot }
        }
        guard let branch = branches[key], branch.owned > 0 else { return nil }
        return within(key).filter { $0.access == .owner }.min { $0.key < $1.key }
    }

    /// Whether a setting at, around or within a key is a secret.
    func isSecret(_ key: SettingKey) -> Bool {
        if slots[key]?.isSecret == true || branches[key].map({ $0.secrets > 0 }) == true { return true }
        return key.parents.contains { slots[$0]?.isSecret == true }
    }

    private func first(within key: SettingKey) -> SettingSlot? {
        var next = key
        // Every branch has a setting in it.
        while let child = branches[next]?.children.first {
            if let slot = slots[child] { return slot }
            next = child
        }
        return nil
    }
}

/// The domains of a store other than the application's, in the order in which they are asked. Knows no types, so which
/// value can be used is decided by the caller.
struct DomainStack: Sendable {
    struct Layer: Sendable {
        let domain: DomainIdentity
        var contents = DomainContents()
    }

    /// Highest first.
    private(set) var layers: [Layer] = []
    /// What the domains above the application's have, joined, and what those below it have.
    private var above = SettingTree()
    private var below = SettingTree()
    /// Keys that the application's domain has under other names by now; `nil` if there are none.
    var renaming: KeyRenaming?

    init(_ domains: [DomainIdentity] = []) {
        layers = domains.map { Layer(domain: $0) }
    }

    var isEmpty: Bool { layers.isEmpty }

    /// The present name of a key that a domain may still have under an earlier one.
    func currentKey(of key: SettingKey) -> SettingKey {
        renaming?.newName(key) ?? key
    }

    // MARK: Reading

    /// The values of a key, in the order of the domains: those of the domains above the application's, or below it.
    func candidates(at key: SettingKey, above isAbove: Bool) -> [DomainCandidate] {
        let oldNames = oldNames(of: key)
        return layers.compactMap { layer in
            layer.domain.isAbove == isAbove ? layer.candidate(at: key, orAt: oldNames) : nil
        }
    }

    /// The values of a key, in the order of the domains.
    func candidates(at key: SettingKey) -> [DomainCandidate] {
        candidates(at: key, above: true) + candidates(at: key, above: false)
    }

    private func oldNames(of key: SettingKey) -> [SettingKey] { renaming?.oldNames(key) ?? [] }

    /// Whether any domain has a value for a key.
    func concerns(_ key: SettingKey) -> Bool {
        let oldNames = oldNames(of: key)
        return layers.contains { $0.candidate(at: key, orAt: oldNames) != nil }
    }

    /// The effective value of a key without a declaration: dictionaries are joined entry by entry, and of any other
    /// values the first one wins.
    ///
    /// - Parameter own: What the application's domain has.
    func joined(at key: SettingKey, own: SettingValue?) -> SettingValue? {
        var result = above.root.isEmpty ? own : above[key].over(own)
        if !below.root.isEmpty { result = result.over(below[key]) }
        return result
    }

    /// Whether all domains are empty.
    var isWithoutValues: Bool { above.root.isEmpty && below.root.isEmpty }

    /// Everything that the domains and the application's have, joined like the value of a key without a declaration.
    func joined(own: SettingTree) -> SettingTree {
        let upper = SettingValue?.some(.dictionary(above.root)).over(.dictionary(own.root))
        guard case .dictionary(let root)? = upper.over(.dictionary(below.root)) else { return own }
        return SettingTree(root)
    }

    /// A value of a domain that locks a key, or a part of it or something around it.
    func lock(concerning key: SettingKey) -> DomainCandidate? {
        for layer in layers where layer.domain.locksKeys {
            if let candidate = layer.candidate(at: key, orAt: oldNames(of: key)) { return candidate }
            for parent in key.parents {
                guard let value = layer.contents.tree[parent] else { break }
                if case .dictionary = value { continue }
                return DomainCandidate(domain: layer.domain, key: parent, value: value, isText: layer.contents.isText)
            }
        }
        return nil
    }

    func contents(of domain: DomainIdentity) -> DomainContents? {
        layers.first { $0.domain === domain }?.contents
    }

    // MARK: Changing

    /// - Returns: The values before.
    mutating func replace(_ contents: DomainContents, in domain: DomainIdentity) -> SettingTree {
        guard let index = layers.firstIndex(where: { $0.domain === domain }) else { return SettingTree() }
        let old = layers[index].contents.tree
        layers[index].contents = contents
        if old.root.isEmpty, isLast(index) {
            append(contents.tree, isAbove: domain.isAbove)
            return old
        }
        let names = contents.tree.root.filter { old.root[$0] != $1 }.map(\.key)
        join(names + old.root.keys.filter { contents.tree.root[$0] == nil }, isAbove: domain.isAbove)
        return old
    }

    /// Whether the domains below on the same side have no values, as when a store opens.
    private func isLast(_ index: Int) -> Bool {
        let isAbove = layers[index].domain.isAbove
        return layers[(index + 1)...].allSatisfy { $0.domain.isAbove != isAbove || $0.contents.tree.root.isEmpty }
    }

    /// Joins what a domain has with what all the others on its side have, which stand above it.
    private mutating func append(_ tree: SettingTree, isAbove: Bool) {
        for (name, value) in tree.root {
            if isAbove { above.root[name] = above.root[name].over(value) }
            if !isAbove { below.root[name] = below.root[name].over(value) }
        }
    }

    /// Joins what the domains on one side have under some names.
    private mutating func join(_ names: some Collection<String>, isAbove: Bool) {
        let roots = layers.lazy.filter { $0.domain.isAbove == isAbove }.map(\.contents.tree.root)
        for name in names {
            let joined = roots.reduce(SettingValue?.none) { $0.over($1[name]) }
            if isAbove { above.root[name] = joined } else { below.root[name] = joined }
        }
    }

    /// Sets the value of a key, or removes it.
    ///
    /// - Returns: The value before.
    mutating func set(_ value: SettingValue?, at key: SettingKey, in domain: DomainIdentity) -> SettingValue? {
        guard let index = layers.firstIndex(where: { $0.domain === domain }) else { return nil }
        let old = layers[index].contents.tree[key]
        layers[index].contents.tree[key] = value
        join(CollectionOfOne(key.split?.first ?? key.name), isAbove: domain.isAbove)
        return old
    }

    /// Adds a domain behind another one, or first.
    mutating func insert(_ domain: DomainIdentity, after other: DomainIdentity?) {
        let index = layers.firstIndex { $0.domain === other }.map { $0 + 1 } ?? 0
        layers.insert(Layer(domain: domain), at: index)
    }

    mutating func remove(_ domain: DomainIdentity) {
        layers.removeAll { $0.domain === domain }
    }
}

/// A value that a domain has for a key.
struct DomainCandidate: Sendable {
    let domain: DomainIdentity
    /// The key at which the domain has it.
    let key: SettingKey
    let value: SettingValue
    /// See ``DomainContents/isText``.
    let isText: Bool
    /// Whether the key is an earlier name of the setting's.
    var isRenamed = false
}

/// What migrations have renamed: domains that they do not change may still have the earlier names.
struct KeyRenaming: Sendable {
    /// `nil` if the key still has its name.
    let newName: @Sendable (SettingKey) -> SettingKey?
    /// The last one first.
    let oldNames: @Sendable (SettingKey) -> [SettingKey]
}

extension DomainStack.Layer {
    fileprivate func candidate(at key: SettingKey, orAt former: [SettingKey]) -> DomainCandidate? {
        guard !contents.tree.root.isEmpty else { return nil }
        if let candidate = candidate(at: key) { return candidate }
        for key in former {
            guard var candidate = candidate(at: key) else { continue }
            candidate.isRenamed = true
            return candidate
        }
        return nil
    }

    private func candidate(at key: SettingKey) -> DomainCandidate? {
        if let value = contents.tree[key] { return candidate(key, value) }
        guard !key.isPlain else { return nil }
        // A name with dots stands for the path, as in the flat files of other programs.
        for literal in key.literals {
            if let value = contents.tree[literal] { return candidate(literal, value) }
        }
        return nil
    }

    private func candidate(_ key: SettingKey, _ value: SettingValue) -> DomainCandidate {
        DomainCandidate(domain: domain, key: key, value: value, isText: contents.isText)
    }
}

extension SettingValue? {
    /// This value with what another one has beyond it.
    fileprivate func over(_ lower: SettingValue?) -> SettingValue? {
        guard case .dictionary(var entries)? = self else { return self ?? lower }
        guard case .dictionary(let others)? = lower else { return self }
        for (name, value) in others { entries[name] = entries[name].over(value) }
        return .dictionary(entries)
    }
}

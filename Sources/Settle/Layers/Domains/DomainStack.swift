/// The domains of a store other than the application's, in the order in which they are asked. They know no types, so
/// the caller decides which value can be used.
struct DomainStack: Sendable {
    struct Layer: Sendable {
        let domain: DomainIdentity
        var contents = DomainContents()
    }

    /// Highest first.
    private(set) var layers: [Layer] = []
    /// The domains above the application's, and those below it.
    private var (above, below) = (Side(), Side())
    /// Keys that now have other names in the application's domain; `nil` if there are none.
    var renaming: KeyRenaming?

    init(_ layers: [Layer] = [], renaming: KeyRenaming? = nil) {
        (self.layers, self.renaming) = (layers, renaming)
        above.isEmpty = trees(above: true).allSatisfy(\.root.isEmpty)
        below.isEmpty = trees(above: false).allSatisfy(\.root.isEmpty)
    }

    var isEmpty: Bool { layers.isEmpty }

    /// Returns the current name of a key that a domain may still have under an earlier one.
    func currentKey(of key: SettingKey) -> SettingKey {
        renaming?.newName(key) ?? key
    }

    // MARK: Reading

    /// Returns the values of a key, in the order of the domains: those of the domains above the application's, or below
    /// it.
    func candidates(at key: SettingKey, above isAbove: Bool) -> [DomainCandidate] {
        let oldNames = oldNames(of: key)
        return layers.compactMap { layer in
            layer.domain.isAbove == isAbove ? layer.candidate(at: key, orAt: oldNames) : nil
        }
    }

    /// Returns the values of a key, in the order of the domains.
    func candidates(at key: SettingKey) -> [DomainCandidate] {
        candidates(at: key, above: true) + candidates(at: key, above: false)
    }

    /// Returns the names that migrations have replaced by a key, the last one first.
    func oldNames(of key: SettingKey) -> [SettingKey] { renaming?.oldNames(key) ?? [] }

    /// Returns whether any domain has a value for a key.
    func concerns(_ key: SettingKey) -> Bool {
        let oldNames = oldNames(of: key)
        return layers.contains { $0.candidate(at: key, orAt: oldNames) != nil }
    }

    /// Returns the sources of the effective value of a key without a declaration, highest first: the first value, and,
    /// as long as all of them are dictionaries, those below it, which are joined entry by entry. A value at the key, or
    /// around it, that is not a dictionary ends that: the values below it do not contribute.
    ///
    /// - Parameter own: The value of the application's domain.
    func sources(of key: SettingKey, own: FoundValue) -> [EffectiveSource] {
        let oldNames = oldNames(of: key)
        var sources: [EffectiveSource] = []
        /// - Returns: Whether the search continues.
        func add(_ found: FoundValue, _ candidate: DomainCandidate?) -> Bool {
            switch found {
            case .nothing: return true
            case .within: return false
            case .value(let value):
                if case .dictionary = value {
                    sources.append(EffectiveSource(candidate: candidate, value: value))
                    return true
                }
                if sources.isEmpty { sources.append(EffectiveSource(candidate: candidate, value: value)) }
                return false
            }
        }
        func add(above isAbove: Bool) -> Bool {
            layers.lazy.filter { $0.domain.isAbove == isAbove }.allSatisfy { layer in
                let candidate = layer.candidate(at: key, orAt: oldNames)
                return add(candidate.map { .value($0.value) } ?? layer.contents.tree.find(key), candidate)
            }
        }
        _ = add(above: true) && add(own, nil) && add(above: false)
        return sources
    }

    /// Returns the effective value of a key without a declaration; see ``sources(of:own:)``.
    func effectiveValue(at key: SettingKey, own: FoundValue) -> SettingValue? {
        guard key.isPlain, renaming == nil else { return sources(of: key, own: own).joined }
        // The fast path: the joined values of a side are enough, unless dictionaries of several sides have to be
        // joined.
        let upper = above.isEmpty ? nil : joined(above: true)[key]
        let lower = below.isEmpty ? nil : joined(above: false)[key]
        switch (upper, own) {
        case (nil, .nothing): return lower
        case (nil, .value(let own)): return own.over(lower)
        case (.dictionary?, .nothing) where lower == nil: return upper
        case (.dictionary?, _): return sources(of: key, own: own).joined
        case (_, _): return upper
        }
    }

    /// Whether all domains are empty.
    var isWithoutValues: Bool { above.isEmpty && below.isEmpty }

    /// Returns whether no domain has a value for a key, as far as their joined values show that at once.
    func isKnownToLack(_ key: SettingKey) -> Bool {
        guard key.isPlain, renaming == nil else { return isWithoutValues }
        return (above.isEmpty || joined(above: true)[key] == nil) && (below.isEmpty || joined(above: false)[key] == nil)
    }

    /// Returns all values of the domains and the application's, joined like the value of a key without a declaration.
    func joined(own: SettingTree) -> SettingTree {
        // From the lowest up, because a value in between that is not a dictionary ends the joining.
        ([own] + trees(above: true).reversed()).reduce(below.isEmpty ? SettingTree() : joined(above: false)) {
            $1.over($0)
        }
    }

    private func joined(above isAbove: Bool) -> SettingTree {
        (isAbove ? above : below).joined.tree {
            trees(above: isAbove).reversed().reduce(SettingTree()) { $1.over($0) }
        }
    }

    private func trees(above isAbove: Bool) -> [SettingTree] {
        layers.compactMap { $0.domain.isAbove == isAbove ? $0.contents.tree : nil }
    }

    /// Returns a value of a domain that locks one of some keys, or a part of it or a key around it.
    func lock(concerning keys: [SettingKey]) -> DomainCandidate? {
        for layer in layers where layer.domain.locksKeys {
            for key in keys {
                if let candidate = layer.lock(concerning: key, orAt: oldNames(of: key)) { return candidate }
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
        guard old != contents.tree else { return old }
        join(isAbove: domain.isAbove) {
            let names = contents.tree.root.filter { old.root[$0] != $1 }.map(\.key)
            return names + old.root.keys.filter { contents.tree.root[$0] == nil }
        }
        return old
    }

    /// Joins the values that the domains on one side have under some names, if they were joined before.
    private mutating func join(isAbove: Bool, _ names: () -> [String]) {
        let trees = trees(above: isAbove)
        func update(_ side: inout Side) {
            if !isKnownUniquelyReferenced(&side.joined) { side.joined = side.joined.copy() }
            side.joined.update { joined in
                for name in names() { joined.root[name] = trees.reversed().reduce(nil) { $1.root[name].over($0) } }
            }
            side.isEmpty = trees.allSatisfy(\.root.isEmpty)
        }
        if isAbove { update(&above) } else { update(&below) }
    }

    /// Sets values of keys in order, or removes them; all at once, because dictionaries are joined as a whole.
    ///
    /// - Returns: The value of each key before.
    mutating func set(
        _ values: [(key: SettingKey, value: SettingValue?)], in domain: DomainIdentity
    ) -> [SettingValue?] {
        guard let index = layers.firstIndex(where: { $0.domain === domain }) else { return values.map { _ in nil } }
        let old = layers[index].contents.tree.apply(inOrder: values)
        join(isAbove: domain.isAbove) { Array(Set(values.map { $0.key.split?.first ?? $0.key.name })) }
        return old
    }

    /// Inserts a domain after another one, or first.
    mutating func insert(_ domain: DomainIdentity, after other: DomainIdentity?) {
        let index = layers.firstIndex { $0.domain === other }.map { $0 + 1 } ?? 0
        layers.insert(Layer(domain: domain), at: index)
    }

    mutating func remove(_ domain: DomainIdentity) {
        layers.removeAll { $0.domain === domain }
    }
}

/// The domains on one side of the application's.
private struct Side: Sendable {
    var joined = JoinedTree()
    /// Whether none of them has values.
    var isEmpty = true
}

/// The joined values of several domains. They are joined when they are first asked for: many stores are only asked for
/// declared keys.
private final class JoinedTree: Sendable {
    private let joined: LockedValue<SettingTree?>

    init(_ tree: SettingTree? = nil) {
        joined = LockedValue(tree)
    }

    func tree(joining domains: () -> SettingTree) -> SettingTree {
        joined.withLock { tree in
            if let tree { return tree }
            let new = domains()
            tree = new
            return new
        }
    }

    /// Updates the tree if it was joined already. Only for the single owner.
    func update(_ change: (inout SettingTree) -> Void) {
        joined.withLock { tree in
            guard var changed = tree.take() else { return }
            change(&changed)
            tree = changed
        }
    }

    func copy() -> JoinedTree {
        JoinedTree(joined.withLock { $0 })
    }
}

/// A value that contributes to the effective value of a key without a declaration.
struct EffectiveSource: Sendable {
    /// `nil` for the application's.
    let candidate: DomainCandidate?
    let value: SettingValue
}

extension [EffectiveSource] {
    /// All of them joined.
    var joined: SettingValue? { reversed().reduce(nil) { $1.value.over($0) } }

    /// The values without which the effective value would differ.
    var inForce: [EffectiveSource] {
        indices.filter { $0 == 0 || Array(self[...$0]).joined != Array(self[..<$0]).joined }.map { self[$0] }
    }
}

/// The value of a tree for a key.
enum FoundValue: Sendable {
    case nothing
    case value(SettingValue)
    /// The key would be within a value that is not a dictionary.
    case within

    init(_ value: SettingValue?) { self = value.map(FoundValue.value) ?? .nothing }

    var value: SettingValue? { if case .value(let value) = self { value } else { nil } }
}

extension SettingTree {
    func find(_ key: SettingKey) -> FoundValue {
        if let value = self[key] { return .value(value) }
        guard !key.isPlain else { return .nothing }
        for parent in key.parents {
            guard let value = self[parent] else { return .nothing }
            if case .dictionary = value { continue }
            return .within
        }
        return .nothing
    }

    /// Returns this tree with the additional values of another one.
    fileprivate func over(_ lower: SettingTree) -> SettingTree {
        guard !lower.root.isEmpty else { return self }
        var entries = lower.root
        for (name, value) in root { entries[name] = value.over(entries[name]) }
        return SettingTree(entries)
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

/// The renames of migrations: domains that they do not change may still have the earlier names.
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

    fileprivate func lock(concerning key: SettingKey, orAt former: [SettingKey]) -> DomainCandidate? {
        if let candidate = candidate(at: key, orAt: former) { return candidate }
        for parent in key.parents {
            guard let value = contents.tree[parent] else { break }
            if case .dictionary = value { continue }
            return candidate(parent, value)
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

extension SettingValue {
    /// Returns this value with the additional entries of another one.
    fileprivate func over(_ lower: SettingValue?) -> SettingValue {
        guard case .dictionary(let entries) = self, case .dictionary(let others)? = lower else { return self }
        return .dictionary(SettingTree(entries).over(SettingTree(others)).root)
    }
}

extension SettingValue? {
    fileprivate func over(_ lower: SettingValue?) -> SettingValue? { self?.over(lower) ?? lower }
}

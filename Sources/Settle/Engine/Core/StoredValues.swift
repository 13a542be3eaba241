/// The stored values, and the settings for them.
struct StoredValues: ~Copyable {
    /// Rises with every change of the properties that reads by key depend on; see ``MutationLog/readVersion``.
    var version: UInt64 = 0
    /// The values as stored, or as last collected for saving.
    var tree: SettingTree { didSet { version &+= 1 } }
    var slots = SlotIndex() {
        didSet {
            version &+= 1
            declarations &+= 1
        }
    }
    /// Rises with every change of the settings.
    private(set) var declarations: UInt64 = 0
    /// The keys of all secrets that were ever about to be declared, in all their spellings. A source may have such a
    /// value before the key has a slot, after its group could not be opened, and after its group was released.
    var announcedSecrets: Set<SettingKey> = [] { didSet { version &+= 1 } }
    /// Those of them that are stored in the secret store.
    var announcedStoredApart: Set<SettingKey> = []
    /// The values of other domains. Changed only with the writer's lock held as well.
    var domains = DomainStack() { didSet { version &+= 1 } }

    init(_ tree: SettingTree) {
        self.tree = tree
    }

    /// Returns the value of a key at which, around which and within which there is no setting; otherwise `nil`.
    func undeclaredValue(at key: SettingKey) -> SettingValue? {
        if !slots.isEmpty, slots.concerns(key) { return nil }
        let place = resolved(key)
        if place != key, slots.concerns(place) { return nil }
        return domains.isWithoutValues ? tree[place] : domains.effectiveValue(at: key, own: tree.find(place))
    }

    // MARK: Secrets

    /// Returns whether a setting at, around or within a key is a secret, or was about to be declared as one.
    func isSecret(_ key: SettingKey) -> Bool {
        slots.isSecret(key)
            || announcedSecrets.contains { $0 == key || $0.contains(key) || key.contains($0) }
    }

    /// All keys under which the values of secrets may be stored.
    var secretPlaces: [SettingKey] {
        slots.all.filter(\.isSecret).flatMap(slots.places) + announcedSecrets
    }

    /// The keys of the secret store, in all their spellings, except those that are now declared as other settings.
    var keysStoredApart: Set<SettingKey> {
        announcedStoredApart.filter { slots.declared(as: $0)?.isStoredInSecrets != false }
    }

    /// Returns a key of the secret store of which a value has a part, or which has the value as a part.
    func keyStoredApart(in value: SettingValue, at key: SettingKey) -> SettingKey? {
        guard !announcedStoredApart.isEmpty else { return nil }
        var tree = SettingTree()
        tree[key] = value
        return keyStoredApart(in: tree)
    }

    /// Returns a key of the secret store of which a tree has a value, or a part of one.
    func keyStoredApart(in tree: SettingTree) -> SettingKey? {
        keysStoredApart.filter { tree[$0] != nil }.min()
    }

    // MARK: Spellings

    /// Returns the key under which the value of a key is stored. A declared setting has one such key, which every
    /// spelling of its key means. For other keys, a name of a setting or of a stored value that equals the key with its
    /// dots takes precedence over a path.
    func resolved(_ key: SettingKey) -> SettingKey {
        guard !key.isPlain else { return key }
        if let place = slots.place(of: key) { return place }
        return key.literals.first { slots.placed(at: $0) != nil || tree[$0] != nil } ?? key
    }

    /// Returns the value of a domain that locks a key, or a part of it or a key around it.
    ///
    /// Domains know a setting by its declared key. Without a declaration, a name with dots may stand for the path, so
    /// that a lock on the path locks both.
    func lock(concerning key: SettingKey) -> DomainCandidate? {
        let slot = slots.placed(at: key).flatMap { $0.declaration == nil ? nil : $0 }
        let other = slot.map(slots.declaredKey) ?? key.asPath
        return domains.lock(concerning: other == key ? [key] : [key, other])
    }

    /// Adds a declared setting, and records the spellings of its key, other than its own, at which something is stored.
    mutating func insert(_ slot: SettingSlot, declaredAs declared: SettingKey?) {
        slots.insert(slot, declaredAs: declared)
        guard declared != slot.key else { return }
        for spelling in slots.otherSpellings(of: slot)
        where tree[spelling] != nil || slots.placed(at: spelling) != nil {
            slots.addSpelling(spelling, of: slot)
        }
    }

    /// Returns the spellings of a setting's key, other than its own, at which something is stored.
    func storedSpellings(of slot: SettingSlot) -> [SettingKey] {
        slots.knownSpellings(of: slot).filter { tree[$0] != nil }
    }

    /// Returns the declared settings at and within a key; all for `nil`.
    func declared(at key: SettingKey?) -> [SettingSlot] {
        guard let key else { return slots.all.filter { $0.declaration != nil } }
        return ([slots[key]].compactMap { $0 } + slots.within(key)).filter { $0.declaration != nil }
    }

    // MARK: Removing

    /// Removes a setting from the index.
    ///
    /// - Returns: Its box, to be released by the caller. Slot and box reference each other, and the box references the
    ///   store.
    mutating func remove(_ slot: SettingSlot) -> AnySettingBox? {
        slots.remove(slot)
        return slot.removeBox()
    }
}

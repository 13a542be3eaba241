/// The keys that an import writes, removes and refuses.
struct ImportPlan {
    /// The step for one key. Each key is a setting, or a key outside of settings, as deep as it goes.
    struct Step {
        let key: SettingKey
        /// The value to write; `nil` to remove the stored value.
        var value: SettingValue?
        /// Whether the key must not be imported, because no group declares it.
        var isRefused = false
    }

    let writes: [Step]
    /// The removals, due only if all values can be written.
    let removals: [Step]

    /// - Parameters:
    ///   - tree: The imported values.
    ///   - known: The stored values and the declarations.
    ///   - own: The values of the application's domain, including unsaved ones; those that the import lacks are
    ///     removed. `nil` to remove nothing.
    init(_ tree: SettingTree, refusingUnknown: Bool, replacing own: SettingTree?, in known: borrowing StoredValues) {
        let entries = Self.entries(of: tree, in: known)
        writes = entries.map { Step(key: $0.key, value: $0.value, isRefused: refusingUnknown && !$0.isDeclared) }
        let removed = own.map { Self.removals(from: $0, besides: entries.map(\.key), in: known) } ?? []
        removals = removed.map { Step(key: $0) }
    }

    private typealias Entry = (key: SettingKey, value: SettingValue, isDeclared: Bool)

    private static func entries(of tree: SettingTree, in known: borrowing StoredValues) -> [Entry] {
        var entries: [Entry] = []
        for (name, value) in tree.root { add(value, at: SettingKey(name: name), in: known, to: &entries) }
        return entries.sorted(by: \.key)
    }

    private static func add(
        _ value: SettingValue, at key: SettingKey, in known: borrowing StoredValues, to entries: inout [Entry]
    ) {
        let isDeclared = known.slots[known.resolved(key)]?.declaration != nil
        guard !isDeclared, case .dictionary(let values) = value, !values.isEmpty else {
            return entries.append((key, value, isDeclared))
        }
        for (name, value) in values { add(value, at: key.appending(component: name), in: known, to: &entries) }
    }

    /// Returns the keys that are stored, or are settings, and lie neither at nor around nor within one of the imported
    /// keys. Secrets, owner-only settings and other spellings of settings' keys are left out.
    private static func removals(
        from own: SettingTree, besides imported: [SettingKey], in known: borrowing StoredValues
    ) -> [SettingKey] {
        let slots = known.slots
        let protected = slots.all.filter { $0.access == .owner || $0.isSecret }.map(\.key)
        let spared = OverlappingKeys(protected + imported.map { known.resolved($0) })
        // A setting of a group in use may have been written in the same transaction.
        let declared = slots.all.filter { $0.declaration != nil && ($0.isStored || $0.box != nil) }.map(\.key)
        let stored = entries(of: own, in: known).map(\.key).filter { (slots.place(of: $0) ?? $0) == $0 }
        return Set(declared + stored).filter { !spared.contains($0) }.sorted()
    }
}

/// The values of a store, nested as in its file and addressed by keys.
///
/// `"passcode.attemptCount"` addresses the value under `attemptCount` in the dictionary under `passcode`.
public struct SettingTree: Sendable, Hashable {
    /// The entries at the outermost level, by the first name of their keys.
    public var root: SettingValue.Entries

    /// Creates a tree; empty by default.
    public init(_ root: SettingValue.Entries = SettingValue.Entries()) {
        self.root = root
    }

    /// The value at a key as text; see the other subscript.
    public subscript(key: String) -> SettingValue? {
        get { self[SettingKey(stored: key)] }
        set { self[SettingKey(stored: key)] = newValue }
    }

    /// The value at exactly this path; setting `nil` removes it, and with it the dictionaries that become empty.
    ///
    /// A setting also reads a value whose last names are one name with dots, such as `{"a.b": 7}` for `a.b`, and so do
    /// all steps of ``SettingsMigration``, ``value(_:forKey:)`` and ``setValue(_:forKey:)``.
    ///
    /// Setting a value below anything that is not a dictionary replaces that.
    public subscript(key: SettingKey) -> SettingValue? {
        get {
            if key.isPlain { return root[key.description] }
            // Splitting a key takes longer than the look-up.
            guard !root.isEmpty else { return nil }
            guard let (head, rest) = key.split else { return root[key.name] }
            guard case .dictionary(let inner)? = root[head] else { return nil }
            return SettingTree(inner)[rest]
        }
        @inline(never) set {
            if key.isPlain {
                root.set(newValue, forKey: key.description)
            } else {
                root.update(CollectionOfOne((key, newValue))) { _ in }
            }
        }
    }
}

extension SettingTree {
    /// Sets each value at its key, in order, and removes the keys whose value is `nil`.
    ///
    /// - Returns: The value at each key just before it was set.
    @discardableResult
    mutating func apply(inOrder values: some Collection<(key: SettingKey, value: SettingValue?)>) -> [SettingValue?] {
        var replaced: [SettingValue?] = []
        replaced.reserveCapacity(values.count)
        if values.count == 1, let (key, value) = values.first, key.isPlain {
            return [root.set(value, forKey: key.description)]
        }
        var rest = values[...]
        while !rest.isEmpty {
            let siblings = rest.siblings(by: \.key)
            root.update(siblings) { replaced.append($0) }
            rest = rest[siblings.endIndex...]
        }
        return replaced
    }
}

extension SettingValue.Entries {
    /// Sets values at keys with a common parent, whose dictionary is looked up only once.
    fileprivate mutating func update(
        _ siblings: some Collection<(key: SettingKey, value: SettingValue?)>, told: (SettingValue?) -> Void
    ) {
        guard let parent = siblings.first?.key.parent else {
            for (key, value) in siblings { told(set(value, forKey: key.name)) }
            return
        }
        let isFound = changeDictionary(at: parent, creating: siblings.contains { $0.value != nil }) { inner in
            for (key, value) in siblings { told(inner.set(value, forKey: key.name)) }
        }
        if !isFound { for _ in siblings { told(nil) } }
    }

    private mutating func changeDictionary(
        at key: SettingKey, creating: Bool, _ change: (inout SettingValue.Entries) -> Void
    ) -> Bool {
        guard let (head, rest) = key.split else {
            return changeDictionary(named: key.name, creating: creating) { inner in
                change(&inner)
                return true
            }
        }
        return changeDictionary(named: head, creating: creating) { inner in
            inner.changeDictionary(at: rest, creating: creating, change)
        }
    }
}

extension SettingTree {
    /// The keys of all values but non-empty dictionaries.
    var leafKeys: [SettingKey] {
        root.flatMap { name, value -> [SettingKey] in
            let key = SettingKey(name: name)
            guard case .dictionary(let inner) = value, !inner.isEmpty else { return [key] }
            return SettingTree(inner).leafKeys.map { key.appending($0) }
        }
    }
}

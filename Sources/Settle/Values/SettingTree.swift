/// The values of a store as its file nests them, addressed by keys.
///
/// `"passcode.attemptCount"` addresses the value under `attemptCount` in the dictionary under `passcode`.
public struct SettingTree: Sendable, Hashable {
    public var root: SettingValue.Entries

    public init(_ root: SettingValue.Entries = [:]) {
        self.root = root
    }

    /// The value at a key as text; see the other subscript.
    public subscript(key: String) -> SettingValue? {
        get { self[SettingKey(stored: key)] }
        set { self[SettingKey(stored: key)] = newValue }
    }

    /// The value at a key; setting `nil` removes it, and with it the dictionaries that it leaves empty.
    ///
    /// Setting a value below something that is not a dictionary replaces that something.
    public subscript(key: SettingKey) -> SettingValue? {
        get {
            if key.isPlain { return root[key.description] }
            guard let (head, rest) = key.split else { return root[key.name] }
            guard case .dictionary(let inner)? = root[head] else { return nil }
            return SettingTree(inner)[rest]
        }
        set {
            guard !key.isPlain, let (head, rest) = key.split else {
                root[key.name] = newValue
                return
            }
            // The dictionary is taken out before it is changed, so that it is changed in place and not copied.
            var inner: SettingTree
            if case .dictionary(let values)? = root[head] {
                inner = SettingTree(values)
                root[head] = .null
            } else {
                guard newValue != nil else { return }
                inner = SettingTree()
            }
            inner[rest] = newValue
            root[head] = inner.root.isEmpty ? nil : .dictionary(inner.root)
        }
    }
}
